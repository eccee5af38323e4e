"""A RunConfig in object form keeps its strategy."""

import pytest

from migrate.findings.finding import Fidelity
from tests.codemod.programs import judged, migrate

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
STRATEGIES = {
    "mirrored": ("tf.distribute.MirroredStrategy()", "train_distribute"),
    "mirrored, of TensorFlow 1": ("tf.compat.v1.distribute.MirroredStrategy()", "train_distribute"),
    "of several workers": ("tf.distribute.MultiWorkerMirroredStrategy()", "train_distribute"),
    "for the evaluation alone": ("tf.distribute.MirroredStrategy()", "eval_distribute"),
    "that a function chooses": ("chosen()", "train_distribute"),
    "of one device": ("tf.distribute.OneDeviceStrategy('/cpu:0')", "train_distribute"),
}


@pytest.mark.parametrize("case", STRATEGIES)
def test_an_object_takes_the_strategy_of_its_config_as_the_program_runs(case):
    source = PROGRAM.format(*STRATEGIES[case])
    text, findings = migrate(source)
    assert all(finding.fidelity is not Fidelity.MANUAL for finding in findings), findings
    assert f"strategy = {STRATEGIES[case][0]}\n" in text
    assert f'config = RunConfig(model_dir="/tmp/m", {STRATEGIES[case][1]}=strategy)' in text
    assert "ClusterTraining" in judged(source).plan.runtime_names


def test_the_devices_of_contribs_strategy_may_be_given_by_position():
    source = PROGRAM.format("tf.contrib.distribute.MirroredStrategy(['/gpu:0', '/gpu:1'])", "train_distribute")
    text, findings = migrate(source.replace("compat.v1.", ""))
    assert not [finding for finding in findings if finding.fidelity is Fidelity.MANUAL], findings
    assert "strategy = tf.distribute.MirroredStrategy(['/gpu:0', '/gpu:1'])\n" in text
