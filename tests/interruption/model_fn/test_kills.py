"""SIGKILL at any moment, on either side of the migration, leaves no trace in what is trained."""

import shutil
from pathlib import Path

import pytest
import tensorflow as tf

from .conftest import Pair, assert_equal, final_variables

STEPS = ("--max_steps", "600")

# With every batch the same and no dropout, the step resumed at does not show in the weights: what is replaced for that.
PAIRS = {
    "custom_model_fn": (".shuffle(1000, seed=1)", ""),
    "alternating_model_fn": (".repeat()", ".take(10).repeat()"),
    "hooked_model_fn": (".repeat()", ".take(10).repeat()"),
}


@pytest.fixture(scope="module", params=list(PAIRS))
def turns(request, tmp_path_factory, digits):
    """A pair, a directory with the Estimator's at step 1, from which all runs begin, and what it alone comes to."""
    name, arguments = request.param, []
    if name == "custom_model_fn":
        arguments = ["--data", str(digits(50)), "--save_steps", "20", "--dropout", "0"]
    pair = Pair(name, tmp_path_factory.mktemp("kills") / "pair", [PAIRS[name]], arguments)
    # This one begins anew, and evaluates, every ten steps.
    steps = ("--max_steps", "60") if name == "alternating_model_fn" else STEPS
    begun = ("--max_steps", 10) if name == "alternating_model_fn" else ("--max_steps", 1)
    alone = pair.kept("alone", ("begun", *begun), ("undisturbed", *steps))
    return pair, steps, alone / "begun", final_variables(alone / "undisturbed")


@pytest.mark.parametrize("within", [0.02, 1.0])
def test_an_estimator_and_its_migration_take_turns_and_are_killed(turns, tmp_path, within):
    pair, steps, begun, undisturbed = turns
    directory = tmp_path / "model"
    shutil.copytree(begun, directory)
    for _ in range(2):
        pair.kill(pair.old, directory, *steps, within=within)
        pair.kill(pair.new, directory, *steps, within=within)
    pair.run(pair.new, directory, *steps)
    assert_equal(final_variables(directory), undisturbed)


def test_the_last_of_them_may_be_the_estimator(turns, tmp_path):
    pair, steps, begun, undisturbed = turns
    directory = tmp_path / "model"
    shutil.copytree(begun, directory)
    pair.kill(pair.new, directory, *steps)
    pair.run(pair.old, directory, *steps)
    assert_equal(final_variables(directory), undisturbed)


@pytest.mark.parametrize("turns", ["custom_model_fn"], indirect=True)
def test_a_killed_job_resumes_at_its_newest_checkpoint(turns, tmp_path):
    pair, _, begun, _ = turns
    directory = tmp_path / "model"
    shutil.copytree(begun, directory)
    pair.kill(pair.new, directory, *STEPS)
    # The newest on the list: a checkpoint's files are whole a moment before the list names it.
    newest = Path(tf.train.latest_checkpoint(str(directory)) + ".index")
    saved = int(newest.stem.rpartition("-")[2])
    before = newest.stat().st_mtime_ns
    printed = pair.run(pair.new, directory, "--max_steps", saved + 1)
    assert printed[-1].split()[1] == str(saved + 1)
    # Had it resumed at an earlier step, it would have come by this one again and saved it.
    assert newest.stat().st_mtime_ns == before
