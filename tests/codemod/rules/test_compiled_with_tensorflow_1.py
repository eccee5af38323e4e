"""A Keras model of ``model_to_estimator`` that is compiled with an optimizer of TensorFlow 1."""

import pytest

from migrate.findings.finding import Fidelity
from tests.codemod.programs import migrate

PROGRAM = """\
import tensorflow as tf


def input_fn():
    return tf.data.Dataset.from_tensor_slices(([[1.0]], [[0.0]])).batch(1)


def main(model, rate):
    optimizer = {}
    model.compile(loss="mse", optimizer=optimizer)
    estimator = tf.keras.estimator.model_to_estimator(keras_model=model, model_dir="/tmp/m")
    estimator.train(input_fn, max_steps=10)
"""
BECOME = {
    "tf.train.AdamOptimizer(rate)": "keras.optimizers.Adam(rate, epsilon=1e-08)",
    "tf.train.AdamOptimizer()": "keras.optimizers.Adam(0.001, epsilon=1e-08)",
    "tf.train.GradientDescentOptimizer(learning_rate=0.1)": "keras.optimizers.SGD(0.1)",
    "tf.train.MomentumOptimizer(0.1, 0.9)": "keras.optimizers.SGD(0.1, momentum=0.9)",
    "tf.train.AdagradOptimizer(0.1)": "keras.optimizers.Adagrad(0.1, epsilon=0.0)",
}
LEFT = ["tf.train.RMSPropOptimizer(0.1)", "tf.train.AdamOptimizer(tf.train.exponential_decay(0.1, 1, 2, 0.5))"]


@pytest.mark.parametrize("old", BECOME)
def test_it_is_compiled_with_the_optimizer_of_keras_that_trains_the_same(old):
    text, findings = migrate(PROGRAM.format(old))
    assert all(one.fidelity is not Fidelity.MANUAL for one in findings), findings
    assert f".{BECOME[old]}\n" in text
    assert "Optimizer(" not in text


@pytest.mark.parametrize("old", LEFT)
def test_one_that_keras_has_none_for_leaves_the_program(old):
    text, findings = migrate(PROGRAM.format(old))
    assert text == PROGRAM.format(old)
    assert any("with which Keras trains only inside an Estimator" in one.message for one in findings)


def test_an_optimizer_that_is_used_for_more_leaves_the_program():
    source = PROGRAM.format("tf.train.AdamOptimizer(rate)").replace(
        "    estimator =", "    print(optimizer)\n    estimator ="
    )
    text, findings = migrate(source)
    assert text == source
    assert any("with which Keras trains only inside an Estimator" in one.message for one in findings)
