"""A job whose checkpoint may not be written ends with an error, and keeps the checkpoint before."""

from .conftest import kept, started

JOB = """
import resource, signal, sys
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.run_config import RunConfig


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", [100_000], initializer=tf1.zeros_initializer())
    step = tf1.train.get_or_create_global_step()
    train_op = tf1.group(tf1.assign_add(weights, tf.ones([100_000])), tf1.assign_add(step, 1))
    return EstimatorSpec(mode, loss=tf.reduce_sum(features), train_op=train_op)


class Limiting(tf1.train.CheckpointSaverListener):
    def after_save(self, session, global_step_value):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))


signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
data = lambda: tf.data.Dataset.from_tensors([1.0]).repeat()
estimator = Estimator(model_fn, sys.argv[1], RunConfig(save_checkpoints_steps=3))
estimator.train(data, max_steps=10, saving_listeners=[Limiting()])
"""


def test_a_checkpoint_that_grows_over_a_limit_is_an_error_and_not_the_end_of_the_training(tmp_path):
    job = started(tmp_path, JOB)
    output, _ = job.communicate()
    assert job.returncode == 1
    assert "ResourceExhaustedError" in output
    assert kept(tmp_path / "model") == [0]
