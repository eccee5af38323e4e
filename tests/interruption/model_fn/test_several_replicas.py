"""A model_fn that MirroredStrategy trained on two replicas goes on to the last bit, killed or not."""

import json
import shutil
from pathlib import Path

import pytest

from migrate.verify import FAULTS, Program, run
from tests import nursery
from tests.kept_runs import IS_NEWEST

from .conftest import WrittenPair, assert_equal, final_variables, losses

SOURCE = Path(__file__).with_name("several_replicas.py")
HOOKED = ("max_steps=args.max_steps", "hooks=[tf1.train.StopAtStepHook(last_step=args.max_steps)]")


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return WrittenPair(SOURCE, tmp_path_factory.mktemp("replicas") / "pair")


@pytest.fixture(scope="module")
def hooked(tmp_path_factory):
    """The same stopped by a hook, around which the new program takes each step; the newest line kills this one."""
    source = tmp_path_factory.mktemp("source") / "hooked_replicas.py"
    assert HOOKED[0] in SOURCE.read_text()
    source.write_text(SOURCE.read_text().replace(*HOOKED))
    return WrittenPair(source, tmp_path_factory.mktemp("hooked") / "pair")


def kept_alone(pair, *arguments):
    """What the Estimator, stopped twice, left and printed."""
    starts = (("begun", 3), ("stopped", 6), ("end", 9))
    return pair.kept("alone", *((name, "--max_steps", steps, *arguments) for name, steps in starts))


def check_printed(found, expected):
    """Compares the steps and the losses of evaluation, which the Estimator adds up on two replicas."""
    (step, loss), (own_step, own_loss) = (each[-1].split() for each in (found, expected))
    assert step == own_step
    assert float.fromhex(loss) == pytest.approx(float.fromhex(own_loss), rel=1e-6)


def test_killed_between_two_saves_it_ends_with_the_losses_and_variables_of_the_estimator(pair, hooked, tmp_path):
    """Killed after the save of step 6, where the Estimator was stopped."""
    pair, arguments = (hooked, ("--optimizer", "momentum")) if IS_NEWEST else (pair, ())
    alone, directory = kept_alone(pair, *arguments), tmp_path / "model"
    shutil.copytree(alone / "begun", directory)
    told = ("--model_dir", "{model_dir}", "--max_steps", "9", *arguments)
    environment = {} if pair.new_python == pair.old_python else {"TF_USE_LEGACY_KERAS": "1"}
    program = Program(pair.new, pair.new_python, told, environment, launch=nursery.launch)
    struck = run(program, directory, FAULTS["sigkill"](at=8))
    assert (struck.code, struck.steps[-1]) == (-9, 8)
    printed = pair.run(pair.new, directory, "--max_steps", 9, *arguments)
    check_printed(printed, json.loads((alone / "printed.json").read_text())["end"])
    assert losses(directory) == losses(alone / "end")
    assert losses(directory).keys() >= {4, 5, 6, 7, 8, 9}
    assert_equal(final_variables(directory), final_variables(alone / "end"))


def test_it_begins_with_the_estimators_warm_start_and_ends_where_a_batch_is_left_over_for_one_replica(pair, tmp_path):
    begun = kept_alone(pair) / "begun"
    arguments = ("--max_steps", 9, "--rows", 20, "--times", 1, "--warm_start", begun)
    alone = pair.kept("to_the_end_of_its_data", ("end", *arguments))
    assert pair.run(pair.new, tmp_path, *arguments)[-1].split()[0] == "2"
    assert losses(tmp_path) == losses(alone / "end")
    # The Estimator's replica that has the batch may update its moving averages before the other's end stops the step.
    found, expected = (
        {name: value for name, value in final_variables(each).items() if "/moving_" not in name}
        for each in (tmp_path, alone / "end")
    )
    assert_equal(found, expected)


def test_with_input_continue_a_stopped_job_draws_what_it_would_have_drawn(tmp_path):
    pair = WrittenPair(SOURCE, tmp_path / "pair", input="continue")
    for steps in (4, 8):
        pair.run(pair.new, tmp_path / "stopped", "--max_steps", steps)
    pair.run(pair.new, tmp_path / "whole", "--max_steps", 8)
    assert losses(tmp_path / "stopped") == losses(tmp_path / "whole")
    # The replicas go on from the mean of their moving averages, which rounds.
    assert_equal(final_variables(tmp_path / "stopped"), final_variables(tmp_path / "whole"), rtol=1e-6)
