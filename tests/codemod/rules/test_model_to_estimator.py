"""What is told of a Keras model that an Estimator trained."""

import pytest

from tests.codemod.bodies import PRELUDE
from tests.codemod.programs import migrate


@pytest.mark.parametrize(("target", "is_told"), [("portable", True), ("keras3", True), ("keras2", False)])
def test_that_keras_3_trains_rows_of_an_embedding_otherwise_is_told(target, is_told):
    layers = "net = tf.keras.Sequential([tf.keras.layers.Embedding(4, 2, input_length=3)])\nnet.compile()\n"
    estimator = "est = tf.keras.estimator.model_to_estimator(net, model_dir='m')\nest.train(data, max_steps=3)\n"
    text = PRELUDE + layers + estimator
    _, findings = migrate(text, target=target)
    assert any("Keras 3 trains an Embedding otherwise" in finding.message for finding in findings) is is_told


def test_that_keras_3_names_no_input_of_a_sequential_is_told_with_what_to_write():
    layers = "net = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])\nnet.compile()\n"
    estimator = "est = tf.keras.estimator.model_to_estimator(net, model_dir='m')\nprint('dense_input')\n"
    _, findings = migrate(f"{PRELUDE}{layers}{estimator}est.train(data, max_steps=3)\n")
    (told,) = (finding for finding in findings if "no input called dense_input" in finding.message)
    assert told.help == 'Let the model begin with tf.keras.Input(…, name="dense_input").'
