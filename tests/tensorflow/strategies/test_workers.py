"""What an Estimator does on two workers, as the page of FT111 tells it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tests import nursery
from tests.interruption.workers.cluster import outputs_of, task_variables

PROGRAM = Path(__file__).parent / "programs" / "two_workers.py"
OLD_PYTHON = os.environ.get("MIGRATE_OLD_PYTHON", sys.executable)


def run(*arguments, tf_configs=("{}",)):
    """Start the program once for each TF_CONFIG, and return what each printed."""
    variables = {name: value for name, value in os.environ.items() if name != "TF_USE_LEGACY_KERAS"}
    variables |= {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [OLD_PYTHON, str(PROGRAM), *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    started = [nursery.launch(command, {**variables, "TF_CONFIG": each}, **streams) for each in tf_configs]
    return [output for output, _ in outputs_of(started)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """What each of two workers printed, and their directory."""
    directory = tmp_path_factory.mktemp("two_workers")
    return run(directory, "train_and_evaluate", tf_configs=task_variables(2)), directory


def test_each_worker_draws_every_batch_of_its_own_input(trained):
    for printed in trained[0]:
        assert [line for line in printed.splitlines() if line.startswith("drew")] == [
            f"drew {4 * step}" for step in range(5)
        ]


def test_the_chief_saves_in_the_directory_and_the_other_in_one_that_stays(trained):
    _, directory = trained
    assert (directory / "model.ckpt-5.index").exists()
    assert (directory / "tmp_worker_1" / "model.ckpt-5.index").exists()


def test_a_mean_loss_of_equal_batches_trains_the_checkpoint_of_one_process(trained, tmp_path):
    _, directory = trained
    run(tmp_path, "alone")
    together, alone = tf.train.load_checkpoint(str(directory)), tf.train.load_checkpoint(str(tmp_path))
    names = alone.get_variable_to_shape_map()
    assert together.get_variable_to_shape_map() == names
    assert "dense/kernel/Adam" in names
    for name in names:
        np.testing.assert_allclose(together.get_tensor(name), alone.get_tensor(name), rtol=1e-4, atol=1e-7)


def test_train_itself_raises_on_several_workers(tmp_path):
    for printed in run(tmp_path, "train", tf_configs=task_variables(2)):
        assert "Only `STANDALONE_CLIENT` mode is supported when you call `estimator.train`" in printed
