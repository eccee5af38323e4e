"""A strategy that cannot be carried over leaves its program whole, and says why and what to do."""

import pytest

from migrate.finding import Fidelity
from tests.codemod.programs import migrate

PROGRAM = """\
import tensorflow as tf

strategy = {}
config = tf.estimator.RunConfig(model_dir="/tmp/m", {}=strategy)


def model_fn(features, labels, mode):
    loss = tf.compat.v1.losses.mean_squared_error(labels, tf.compat.v1.layers.dense(features["x"], 1))
    step = tf.compat.v1.train.get_global_step()
    train_op = tf.compat.v1.train.AdamOptimizer().minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({{"x": [[1.0]]}}, [[0.0]])).repeat().batch(8)


estimator = tf.estimator.Estimator(model_fn, config=config)
tf.estimator.train_and_evaluate(
    estimator, tf.estimator.TrainSpec(input_fn, max_steps=9), tf.estimator.EvalSpec(input_fn, steps=1)
)
"""
ONE_PROCESS = "whose processes reduce their gradients together: what is emitted trains in one process"


@pytest.mark.parametrize(
    ("strategy", "setting", "reason", "help"),
    [
        ("tf.distribute.MultiWorkerMirroredStrategy()", "train_distribute", ONE_PROCESS, "as FT404 shows"),
        ("tf.contrib.distribute.CollectiveAllReduceStrategy()", "train_distribute", ONE_PROCESS, "as FT404 shows"),
        ("tf.distribute.MirroredStrategy()", "train_distribute", "traced outside its scope", "strategy.scope()"),
        (
            "tf.distribute.experimental.ParameterServerStrategy()",
            "train_distribute",
            "under a ParameterServerStrategy",
            "on the coordinator alone",
        ),
        ("chosen()", "train_distribute", "under a distribution strategy", "strategy.scope()"),
        ("tf.distribute.MirroredStrategy()", "eval_distribute", "traced outside its scope", "strategy.scope()"),
        ("chosen()", "experimental_distribute", "cannot be followed", "strategy.scope()"),
    ],
)
def test_a_custom_estimator_under_several_replicas_is_left_whole(strategy, setting, reason, help):
    program = PROGRAM.format(strategy, setting)
    _, findings = migrate(program)
    (left,) = [finding for finding in findings if finding.code == "FT111"]
    assert left.fidelity is Fidelity.MANUAL
    assert reason in left.message
    assert help in left.help
    assert all(f.code in ("FT401", "FT138") for f in findings if f.fidelity is not Fidelity.MANUAL)
