"""Keras programs that resumed by hand, and a loop that restored nothing, go on after a kill where they should."""

import pytest

from migrate.verify import FAULTS, Program, run_interrupted
from tests.pairs import LEGACY, TF2

EPOCHS = {"resume_weights.py": "--epochs", "resume_model.py": "--epochs"}


@pytest.fixture
def killed(data, tmp_path):
    """Run a script of 12 steps an epoch, killed at a step if one is given, and started again."""

    def make(script, python, at=None, *arguments):
        program = Program(script, python, ("--model_dir", "{model_dir}", "--data", str(data), *arguments))
        fault = FAULTS["sigkill"](at=at) if at else None
        return run_interrupted(program, fault, tmp_path / f"{script.parent.name}_{script.stem}_{at}")

    return make


@pytest.mark.parametrize("name", EPOCHS)
def test_a_killed_fit_goes_on_after_its_last_epoch_as_if_nothing_had_happened(name, killed, new_python):
    undisturbed = killed(TF2 / name, new_python, None, "--epochs", "2")
    record = killed(TF2 / name, new_python, 15, "--epochs", "2")
    assert record.resumed_at == [12]
    assert record.final_step == undisturbed.final_step == 24
    losses = undisturbed.by_step("loss")
    assert len(losses) == 24
    assert record.by_step("loss") == losses


def test_the_old_weights_come_back_without_the_optimizers_state(killed, old_python):
    undisturbed = killed(LEGACY / "resume_weights.py", old_python, None, "--epochs", "2")
    record = killed(LEGACY / "resume_weights.py", old_python, 15, "--epochs", "2")
    assert record.by_step("loss") != undisturbed.by_step("loss")


def test_the_guides_loop_begins_with_new_weights_and_the_mended_one_goes_on(killed, old_python, new_python):
    assert killed(LEGACY / "checkpoint_loop.py", old_python, 10, "--steps", "12").resumed_at == [0]
    undisturbed = killed(TF2 / "checkpoint_loop.py", new_python, None, "--steps", "12")
    record = killed(TF2 / "checkpoint_loop.py", new_python, 10, "--steps", "12")
    assert record.resumed_at == [8]
    assert record.by_step("loss") == undisturbed.by_step("loss")
