"""What a job has logged up to a save is on disk once it has saved: it does not take those steps again."""

import signal

import tensorflow as tf

from .conftest import kept, losses, started

JOB = """
import os, signal, sys
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.run_config import RunConfig


def model_fn(features, labels, mode):
    weight = tf1.get_variable("weight", initializer=0.0)
    step = tf1.train.get_or_create_global_step()
    train_op = tf1.group(tf1.assign_add(weight, 1.0), tf1.assign_add(step, 1))
    return EstimatorSpec(mode, loss=weight + tf.reduce_sum(features), train_op=train_op)


class Killing(tf1.train.CheckpointSaverListener):
    def after_save(self, session, global_step_value):
        if global_step_value == 6:
            os.kill(os.getpid(), signal.SIGKILL)


data = lambda: tf.data.Dataset.from_tensors([1.0]).repeat()
config = RunConfig(save_checkpoints_steps=3, save_summary_steps=1)
Estimator(model_fn, sys.argv[1], config).train(data, max_steps=20, saving_listeners=[Killing()])
"""


def test_a_job_killed_at_the_end_of_a_save_has_logged_every_step_up_to_it(tmp_path):
    job = started(tmp_path, JOB)
    job.communicate()
    assert job.returncode == -signal.SIGKILL
    assert kept(tmp_path / "model")[-1] == 6
    assert sorted(losses(tmp_path / "model")) == [1, 2, 3, 4, 5, 6]
    assert tf.train.latest_checkpoint(tmp_path / "model").endswith("-6")
