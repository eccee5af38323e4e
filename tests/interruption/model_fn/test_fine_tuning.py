"""A TPUEstimator that is used off a TPU, with a warm start and an optimizer that moves the step by hand.

The optimizer reads and moves its step in no stated order: an Estimator with several threads may read the step that is
already moved, and so trains a step at the next one's learning rate; here it has one thread.
"""

import shutil
from pathlib import Path

import pytest

from .conftest import Pair, assert_equal, final_variables

NEAR = 1e-5


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Every batch is the same, so that the step resumed at does not show in the weights."""
    same = [("(256, 6)", "(32, 6)"), (".shuffle(100, seed=1)", "")]
    return Pair("fine_tuning", tmp_path_factory.mktemp("fine_tuning") / "pair", same, in_order=True)


@pytest.fixture(scope="module")
def alone(pair):
    """A directory with the Estimator's at step 40, where all runs begin, and at the end."""
    return pair.kept("alone", ("begun", "--max_steps", 40), ("undisturbed", "--max_steps", 1000))


@pytest.fixture(scope="module")
def begun(alone):
    return alone / "begun"


@pytest.fixture(scope="module")
def undisturbed(alone):
    return final_variables(alone / "undisturbed")


def migrated(pair, begun, directory, *arguments):
    shutil.copytree(begun, directory)
    pair.run(pair.new, directory, *arguments)
    return final_variables(directory)


def test_an_estimator_and_its_migration_take_turns_and_are_killed(pair, begun, undisturbed, tmp_path):
    directory = tmp_path / "model"
    shutil.copytree(begun, directory)
    for program in (pair.old, pair.new):
        pair.kill(program, directory, "--max_steps", 1000)
    pair.run(pair.new, directory, "--max_steps", 1000)
    assert_equal(final_variables(directory), undisturbed, NEAR)


def test_migrated_runs_are_equal_to_the_last_bit(pair, begun, tmp_path):
    one = migrated(pair, begun, tmp_path / "one", "--max_steps", 130)
    assert_equal(migrated(pair, begun, tmp_path / "other", "--max_steps", 130), one)


@pytest.fixture(scope="module")
def warm(pair, begun):
    """The arguments of a warm start, and where fifty steps of the Estimator lead from there."""
    arguments = ("--init_checkpoint", begun / "model.ckpt-40")
    return arguments, final_variables(pair.kept("warm", ("at_50", *arguments, "--max_steps", 50)) / "at_50")


def test_a_warm_start_takes_the_pretrained_variables(pair, warm, tmp_path):
    arguments, expected = warm
    pair.run(pair.new, tmp_path / "model", *arguments, "--max_steps", 50)
    assert_equal(final_variables(tmp_path / "model"), expected, NEAR)


def test_a_resumed_job_starts_from_its_checkpoint_and_not_warm_again(pair, warm, tmp_path):
    arguments, expected = warm
    pair.run(pair.new, tmp_path / "model", *arguments, "--max_steps", 20)
    pair.run(pair.new, tmp_path / "model", *arguments, "--max_steps", 50)
    assert_equal(final_variables(tmp_path / "model"), expected, NEAR)


def test_a_program_that_is_told_to_use_a_tpu_says_that_it_cannot(pair, tmp_path):
    process = pair.start(pair.new, tmp_path / "model", "--use_tpu")
    assert process.wait() == 1
    process.stdout.close()
    assert "use_tpu is true, and this program no longer runs on a TPU" in Path(pair.folder, "log").read_text()
    assert not (tmp_path / "model").exists()
