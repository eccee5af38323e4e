"""SIGKILL at any moment, on either side of the migration, leaves no trace in what is trained."""

import shutil
from pathlib import Path

import pytest
import tensorflow as tf

from .conftest import Pair, assert_equal, final_variables

STEPS = ("--max_steps", "600")


@pytest.fixture(scope="module")
def same_batches(tmp_path_factory, digits):
    """The pair with every batch the same and no dropout, so that the step resumed at does not show in the weights."""
    arguments = ["--data", str(digits(50)), "--save_steps", "20", "--dropout", "0"]
    return Pair(
        "custom_model_fn", tmp_path_factory.mktemp("kills") / "pair", [(".shuffle(1000, seed=1)", "")], arguments
    )


@pytest.fixture(scope="module")
def alone(same_batches):
    """A directory with the Estimator's at step 1, from which all runs begin, and at the end."""
    return same_batches.kept("alone", ("begun", "--max_steps", 1), ("undisturbed", *STEPS))


@pytest.fixture(scope="module")
def begun(alone):
    return alone / "begun"


@pytest.fixture(scope="module")
def undisturbed(alone):
    return final_variables(alone / "undisturbed")


@pytest.mark.parametrize("within", [0.02, 1.0])
def test_an_estimator_and_then_its_migration_are_killed(same_batches, begun, undisturbed, tmp_path, within):
    directory = tmp_path / "model"
    shutil.copytree(begun, directory)
    same_batches.kill(same_batches.old, directory, *STEPS, within=within)
    for _ in range(2):
        same_batches.kill(same_batches.new, directory, *STEPS, within=within)
    same_batches.run(same_batches.new, directory, *STEPS)
    assert_equal(final_variables(directory), undisturbed)


def test_a_killed_job_resumes_at_its_newest_checkpoint(same_batches, begun, tmp_path):
    directory = tmp_path / "model"
    shutil.copytree(begun, directory)
    same_batches.kill(same_batches.new, directory, *STEPS)
    # The newest on the list: a checkpoint's files are whole a moment before the list names it.
    newest = Path(tf.train.latest_checkpoint(str(directory)) + ".index")
    saved = int(newest.stem.rpartition("-")[2])
    before = newest.stat().st_mtime_ns
    printed = same_batches.run(same_batches.new, directory, "--max_steps", saved + 1)
    assert printed[-1].split()[1] == str(saved + 1)
    # Had it resumed at an earlier step, it would have come by this one again and saved it.
    assert newest.stat().st_mtime_ns == before
