"""SIGKILL at any moment, on either side of the migration, leaves no trace in what is trained.

The migration takes turns with itself: its runtime files are in its tree, or in the installed package.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import tensorflow as tf

from tests.kept_runs import IS_NEWEST

from .conftest import Pair, assert_equal, final_variables

# With every batch the same and no dropout, the step resumed at does not show in the weights: what is replaced for that,
# and the steps to begin with and to end at.
PAIRS = {
    "custom_model_fn": ((".shuffle(1000, seed=1)", ""), 1, 600),
    "alternating_model_fn": (
        (".repeat()", ".take(10).repeat()"),
        10,
        60,
    ),  # begins anew, and evaluates, every ten steps
    "hooked_model_fn": ((".repeat()", ".take(10).repeat()"), 1, 600),
    "fine_tuning": ((".repeat().shuffle(100, seed=1)", ".take(32).repeat()"), 1, 600),
    "model_by_name": (("(600, 8)", "(32, 8)"), 1, 600),
    "feature_columns/linear_ftrl": ((".batch(10)", ".batch(200)"), 1, 600),
    "feature_columns/warm_start": ((".batch(10)", ".batch(200)"), 1, 600),
    "feature_columns/wide_and_deep": ((".shuffle(100, seed=1).repeat().batch(16)", ".repeat().batch(160)"), 1, 70),
}

if (
    not IS_NEWEST
):  # where each goes on beside 2.15 is shown by test_pairs, and that a kill leaves no trace by two of them
    PAIRS = {name: PAIRS[name] for name in ("custom_model_fn", "feature_columns/wide_and_deep")}

# The hand-written optimizer reads and moves its step in no stated order; an Estimator of one thread does so in order.
# Two classes go through tf.sigmoid, which differs by a bit between TensorFlow 2.15 and the newest.
NEAR = {"fine_tuning": 1e-5, **({"feature_columns/wide_and_deep": 1e-5} if IS_NEWEST else {})}


@dataclass(frozen=True)
class Turns:
    """A pair; the arguments of a whole run; what the Estimator left at a first step, and what it alone comes to."""

    pair: Pair
    near: float
    steps: tuple
    begun: Path
    undisturbed: dict


@pytest.fixture(scope="module", params=list(PAIRS))
def turns(request, tmp_path_factory, digits, census, packaged, installed):
    name = request.param
    same, first, last = PAIRS[name]
    arguments = {
        "custom_model_fn": ["--data", digits(50), "--save_steps", "20", "--dropout", "0"],
        "feature_columns/wide_and_deep": ["--data", census],
    }
    folder, given = tmp_path_factory.mktemp("kills") / "pair", map(str, arguments.get(name, []))
    pair = Pair(name, folder, [same], given, in_order=name == "fine_tuning", packaged=(packaged, installed))
    alone = pair.kept("alone", ("begun", "--max_steps", first), ("undisturbed", "--max_steps", last))
    return Turns(
        pair, NEAR.get(name, 0.0), ("--max_steps", last), alone / "begun", final_variables(alone / "undisturbed")
    )


def test_an_estimator_and_its_migration_take_turns_and_are_killed_and_either_comes_to_the_end(turns, tmp_path):
    pair, directory = turns.pair, tmp_path / "model"
    shutil.copytree(turns.begun, directory)
    for program in (pair.old, pair.new):
        pair.kill(program, directory, *turns.steps, within=0.02)
    other = shutil.copytree(directory, tmp_path / "other")
    pair.kill(pair.packaged, other, *turns.steps, within=1.0)
    for last, place in ((pair.packaged, directory), (pair.old, other)):
        pair.run(last, place, *turns.steps)
        assert_equal(final_variables(place), turns.undisturbed, turns.near)


@pytest.mark.parametrize("turns", ["custom_model_fn"], indirect=True)
def test_a_killed_job_resumes_at_its_newest_checkpoint(turns, tmp_path):
    pair, directory = turns.pair, tmp_path / "model"
    shutil.copytree(turns.begun, directory)
    pair.kill(pair.new, directory, *turns.steps)
    # The newest on the list: a checkpoint's files are whole a moment before the list names it.
    newest = Path(tf.train.latest_checkpoint(str(directory)) + ".index")
    saved = int(newest.stem.rpartition("-")[2])
    before = newest.stat().st_mtime_ns
    printed = pair.run(pair.new, directory, "--max_steps", saved + 1)
    assert printed[-1].split()[1] == str(saved + 1)
    # Had it resumed at an earlier step, it would have come by this one again and saved it.
    assert newest.stat().st_mtime_ns == before
