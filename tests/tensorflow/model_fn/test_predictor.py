"""What stands for ``tf.contrib.predictor`` answers as the signatures of a SavedModel say."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.predictor import from_saved_model
from tests.cases import each

X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A SavedModel of TensorFlow 1: ``x`` to its sum, and by another signature to its sum and a bias."""
    directory = str(tmp_path_factory.mktemp("exported") / "1")
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [None, 2], "x")
        bias = tf1.placeholder_with_default(tf.constant(0.5), [], "bias")
        weight = tf1.get_variable("weight", initializer=[[1.0], [10.0]])
        total = tf.matmul(x, weight, name="total")
        session.run(tf1.global_variables_initializer())
        builder = tf1.saved_model.Builder(directory)
        sign = tf1.saved_model.predict_signature_def
        signatures = {
            "serving_default": sign({"x": x}, {"total": total}),
            "biased": sign({"x": x, "bias": bias}, {"biased": total + bias}),
        }
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.save()
    return directory


def test_the_default_signature_answers(exported):
    np.testing.assert_array_equal(from_saved_model(exported)({"x": X})["total"], [[21.0], [43.0]])


def test_another_signature_answers_by_its_key_and_takes_what_is_given_alone(exported):
    predict = from_saved_model(exported, signature_def_key="biased")
    np.testing.assert_array_equal(predict({"x": X, "bias": 1.0})["biased"], [[22.0], [44.0]])
    np.testing.assert_array_equal(predict({"x": X, "bias": None})["biased"], [[21.5], [43.5]])


def test_tensors_answer_by_their_names(exported):
    predict = from_saved_model(exported, input_names={"given": "x:0"}, output_names={"sum": "total:0"})
    np.testing.assert_array_equal(predict({"given": X})["sum"], [[21.0], [43.0]])


def test_a_model_that_tensorflow_2_saved_answers(tmp_path):
    module = tf.Module()
    module.weight = tf.Variable(3.0)
    serve = tf.function(lambda x: {"y": x * module.weight}, input_signature=[tf.TensorSpec([None], tf.float32, "x")])
    tf.saved_model.save(module, str(tmp_path), signatures=serve)
    np.testing.assert_array_equal(from_saved_model(str(tmp_path))({"x": [1.0, 2.0]})["y"], [3.0, 6.0])


@each("arguments", "message")(
    ({"signature_def_key": "other"}, "No signature 'other'"),
    ({"input_names": {"x": "x:0"}}, "Give both"),
    ({"signature_def_key": "biased", "input_names": {"x": "x:0"}, "output_names": {}}, "Give one"),
)
def test_a_signature_that_is_not_there_or_named_twice_is_refused(exported, arguments, message):
    with pytest.raises(ValueError, match=message):
        from_saved_model(exported, **arguments)


def test_an_input_that_the_model_has_not_is_refused(exported):
    with pytest.raises(ValueError, match=r"No inputs of the model: \['z'\]"):
        from_saved_model(exported)({"z": X})
