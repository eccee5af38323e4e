"""Keras programs that resumed by hand, and a loop that restored nothing, go on after a kill where they should.

Those that have runtime files take turns: in their tree, and in the installed package.
"""

from functools import cache
from itertools import cycle

import pytest

from migrate.verify import FAULTS, Program, run_interrupted
from tests import nursery
from tests.pairs import LEGACY, TF2

PAIRS = ["resume_weights.py", "resume_model.py"]
FORMS = ["copy", "copy", "package", "package"]
CHANGES = range(1, 6)
"""What a save does to its directory, one after the other: each is a moment to be killed at. The pairs take turns."""


@pytest.fixture(scope="module")
def migrated(packaged):
    """The path of a migrated program in a form."""
    return lambda name, form: {"copy": TF2, "package": packaged}[form] / name


@pytest.fixture(scope="module")
def killed(data, installed):
    """Run a script of 12 steps an epoch, struck by a fault if one is given, and started again."""

    def make(script, python, fault, *arguments):
        arguments = ("--model_dir", "{model_dir}", "--data", str(data), *arguments)
        environment = {} if (script.parent / "tf2_recovery").exists() else {"PYTHONPATH": str(installed)}
        program = Program(script, python, arguments, environment, launch=nursery.launch)
        return run_interrupted(program, fault)

    return make


@pytest.fixture(scope="module")
def undisturbed(killed, new_python):
    """What a migrated program does when nothing strikes it."""
    return cache(lambda name: killed(TF2 / name, new_python, None, "--epochs", "3"))


def sigkill(at):
    return FAULTS["sigkill"](at=at)


@pytest.mark.parametrize("form", ["copy", "package"])
@pytest.mark.parametrize("name", PAIRS)
def test_a_killed_fit_goes_on_after_its_last_epoch_as_if_nothing_had_happened(
    name, form, migrated, undisturbed, killed, new_python
):
    record = killed(migrated(name, form), new_python, sigkill(15), "--epochs", "3")
    assert record.resumed_at == [12]
    assert record.final_step == undisturbed(name).final_step == 36
    losses = undisturbed(name).by_step("loss")
    assert len(losses) == 36
    assert record.by_step("loss") == losses


def test_an_empty_list_of_checkpoints_costs_nothing(undisturbed, killed, new_python):
    name = "resume_model.py"
    record = killed(TF2 / name, new_python, FAULTS["empty-checkpoint-file"](15), "--epochs", "3")
    assert record.resumed_at == [12]
    assert record.by_step("loss") == undisturbed(name).by_step("loss")


@pytest.mark.parametrize(("name", "form", "change"), list(zip(cycle(PAIRS), cycle(FORMS), CHANGES, strict=False)))
def test_a_kill_inside_a_save_costs_that_epoch_at_most(name, form, migrated, undisturbed, killed, new_python, change):
    fault = FAULTS["sigkill-in-save"](24, change=change)
    record = killed(migrated(name, form), new_python, fault, "--epochs", "3")
    assert fault.notes == []
    assert record.resumed_at in ([12], [24])
    assert record.final_step == 36
    assert record.by_step("loss") == undisturbed(name).by_step("loss")


def test_the_old_weights_come_back_without_the_optimizers_state(killed, old_python):
    undisturbed = killed(LEGACY / "resume_weights.py", old_python, None, "--epochs", "2")
    record = killed(LEGACY / "resume_weights.py", old_python, sigkill(15), "--epochs", "2")
    assert record.by_step("loss") != undisturbed.by_step("loss")


def test_the_guides_loop_begins_with_new_weights_and_the_mended_one_goes_on(killed, old_python, new_python):
    assert killed(LEGACY / "checkpoint_loop.py", old_python, sigkill(10), "--steps", "12").resumed_at == [0]
    undisturbed = killed(TF2 / "checkpoint_loop.py", new_python, None, "--steps", "12")
    record = killed(TF2 / "checkpoint_loop.py", new_python, sigkill(10), "--steps", "12")
    assert record.resumed_at == [8]
    assert record.by_step("loss") == undisturbed.by_step("loss")
    record = killed(TF2 / "checkpoint_loop.py", new_python, FAULTS["sigkill-in-save"](8, change=2), "--steps", "12")
    assert record.resumed_at in ([4], [8])
    assert record.by_step("loss") == undisturbed.by_step("loss")
