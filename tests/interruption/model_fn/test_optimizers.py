"""What the codemod writes continues the Estimators of six optimizers, to the last bit."""

import shutil
from pathlib import Path

import pytest

from .conftest import WrittenPair, assert_equal, final_variables, kept, losses

PROGRAM = Path(__file__).parent / "six_optimizers.py"
OPTIMIZERS = ["adam", "momentum", "adagrad", "rmsprop", "ftrl", "sgd"]
ADAM = ["--optimizers", "adam"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return WrittenPair(PROGRAM, tmp_path_factory.mktemp("written") / "pair")


@pytest.fixture(scope="module")
def estimators(pair):
    """A directory with the Estimators' directories at step 50 and, gone on from there, at 130."""
    return pair.kept("alone", ("at_50", "--max_steps", 50), ("at_130", "--max_steps", 130))


@pytest.fixture(scope="module")
def continued(pair, estimators, tmp_path_factory):
    """The directories of the Estimators and of the migrated program, both gone on from step 50 to 130."""
    migrated = tmp_path_factory.mktemp("continued") / "migrated"
    shutil.copytree(estimators / "at_50", migrated)
    pair.run(pair.new, migrated, "--max_steps", 130)
    return estimators / "at_130", migrated


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_eighty_losses_variables_and_slots_are_those_of_the_estimator(optimizer, continued):
    estimator, migrated = (directory / optimizer for directory in continued)
    assert losses(migrated) == losses(estimator)
    assert len([step for step in losses(migrated) if step > 50]) == 80
    assert_equal(final_variables(migrated), final_variables(estimator))


def test_with_input_continue_an_interrupted_job_equals_an_uninterrupted_one(estimators, tmp_path):
    pair = WrittenPair(PROGRAM, tmp_path / "pair", input="continue")
    few = ["adam", "ftrl"]
    for name in ("whole", "stopped"):
        shutil.copytree(estimators / "at_50", tmp_path / name)
    pair.run(pair.new, tmp_path / "whole", "--max_steps", 130, "--optimizers", *few)
    pair.run(pair.new, tmp_path / "stopped", "--max_steps", 87, "--optimizers", *few)
    pair.run(pair.new, tmp_path / "stopped", "--max_steps", 130, "--optimizers", *few)
    for optimizer in few:
        whole, resumed = (final_variables(tmp_path / name / optimizer) for name in ("whole", "stopped"))
        assert_equal(resumed, whole)
        # From the Estimator's checkpoint the input begins at its first element; from then on it goes on.
        assert losses(tmp_path / "stopped" / optimizer) == losses(tmp_path / "whole" / optimizer)


def test_a_killed_job_that_a_hook_saves_ends_where_its_estimator_ends(tmp_path):
    text = PROGRAM.read_text()
    for before, after in [
        ("os.path.join(args.model_dir, name)", "args.model_dir"),
        ("save_summary_steps=1, save_checkpoints_steps=20", "save_summary_steps=50, save_checkpoints_steps=9999"),
        ("shuffle(640, seed=1).repeat().batch(64)", "repeat().batch(640)"),  # the same batch after each start
        ("train(input_fn, ", "train(input_fn, [tf1.train.CheckpointSaverHook(args.model_dir, save_steps=100)], "),
    ]:
        assert before in text
        text = text.replace(before, after)
    source = tmp_path / "saved_by_hook.py"
    source.write_text(text)
    pair = WrittenPair(source, tmp_path / "pair")
    old = pair.kept("alone", ("at_50", "--max_steps", 50, *ADAM), ("at_1500", "--max_steps", 1500, *ADAM))
    shutil.copytree(old / "at_50", tmp_path / "job")
    assert pair.kill(pair.new, tmp_path / "job", "--max_steps", 1500, *ADAM, within=0.2)
    assert kept(tmp_path / "job")[-1] < 1500
    pair.run(pair.new, tmp_path / "job", "--max_steps", 1500, *ADAM)
    assert_equal(final_variables(tmp_path / "job"), final_variables(old / "at_1500"))
    assert kept(tmp_path / "job") == [1150, 1250, 1350, 1450, 1500]
