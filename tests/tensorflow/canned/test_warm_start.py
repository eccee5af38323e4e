"""A canned estimator's Keras model starts with the variables of another job as the Estimator did."""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from migrate.run import run, write
from migrate.settings import Settings
from tests import nursery
from tests.interruption.model_fn.conftest import losses
from tests.kept_runs import kept_run, old_python

from .conftest import difference

PROGRAM = Path(__file__).with_name("warm_started.py")


@pytest.fixture(scope="module")
def old():
    """The directories of the Estimators' jobs."""
    return kept_run("warm_started", [PROGRAM], lambda directory: _start(old_python(), PROGRAM, directory))


@pytest.fixture(scope="module")
def new(old, tmp_path_factory):
    """The directories of the migrated program's jobs, which start with the Estimators' first one."""
    folder = tmp_path_factory.mktemp("warm_start")
    program = Path(shutil.copy(PROGRAM, folder))
    outcome = run([str(program)], Settings(canned="keras"), jobs=1, progress=None)
    assert all(finding.rewritten for finding in outcome.findings)
    assert write(outcome) == []
    _start(sys.executable, program, folder, old / "first")
    return folder


def _start(python, program, *arguments):
    settings = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
    done = nursery.run([python, program, *map(str, arguments)], settings)
    assert done.returncode == 0, done.stderr[-3000:]


def _taken(directory, name, donor):
    """Which of a donor's variables a job began with, by their names there."""
    began = tf.train.load_checkpoint(str(directory / (f"{name}-0")))
    values = [began.get_tensor(key) for key in began.get_variable_to_shape_map() if not key.startswith("_")]
    reader = tf.train.load_checkpoint(str(donor))
    names = [key for key in reader.get_variable_to_shape_map() if key.startswith(("dnn/", "linear/"))]
    plain = [key for key in names if not key.rpartition("/")[2].startswith(("Adagrad", "Ftrl"))]
    return {key for key in plain if any(np.array_equal(value, reader.get_tensor(key)) for value in values)}


def test_the_losses_of_fifty_steps_are_those_of_the_estimator_that_started_warm(old, new):
    expected, found = losses(old / "own"), losses(new / "whole")
    assert sorted(expected) == list(range(1, 51))
    assert difference(*(np.array([one[step] for step in range(1, 51)]) for one in (found, expected))) <= 5e-6


def test_a_job_with_a_checkpoint_goes_on_and_needs_no_other(new):
    assert tf.train.latest_checkpoint(str(new / "whole")).endswith("-55")


def test_a_pattern_takes_the_variables_whose_names_it_begins(old, new):
    expected = _taken(old / "part", "model.ckpt", old / "first")
    assert {name.split("/")[1] for name in expected} == {"hiddenlayer_0", "input_from_feature_columns"}
    assert _taken(new / "part", "ckpt", old / "first") == expected


def test_it_starts_with_a_migrated_job_too(new):
    first = tf.train.load_checkpoint(tf.train.latest_checkpoint(str(new / "first")))
    own = tf.train.load_checkpoint(str(new / "own" / "ckpt-0"))
    names = [key for key in own.get_variable_to_shape_map() if key.startswith("model/") and "OPTIMIZER" not in key]
    trained = [key for key in names if "wide" in key or "deep" in key]
    assert trained
    for key in trained:
        np.testing.assert_array_equal(own.get_tensor(key), first.get_tensor(key), err_msg=key)
