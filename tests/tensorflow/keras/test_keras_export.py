"""A Keras model is exported as its Estimator was: a server finds the names, Python loads the signature."""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.export import ServingInputReceiver
from migrate.recovery.keras.export import export_outputs


def doubling():
    model = tf.keras.Sequential([tf.keras.Input((2,), name="x"), tf.keras.layers.Dense(1, name="double")])
    model.compile(tf.keras.optimizers.SGD(), "mse")
    model.set_weights([np.full([2, 1], 2.0), np.zeros(1)])
    return model


def serve():
    fed = {"hours-per week": tf1.placeholder(tf.float32, [None, 2]), "2": tf1.placeholder(tf.int32, [None])}
    return ServingInputReceiver({"x": fed["hours-per week"]}, fed)


def served(path, signature, requests):
    """What a server answers, which knows inputs by the names in the signature."""
    with tf1.Session(graph=tf.Graph()) as session:
        found = tf1.saved_model.load(session, ["serve"], path.decode()).signature_def[signature]
        assert found.inputs.keys() == requests.keys()
        outputs = {name: info.name for name, info in found.outputs.items()}
        return session.run(outputs, {found.inputs[name].name: value for name, value in requests.items()})


def test_a_server_feeds_inputs_by_names_that_python_cannot_have(tmp_path):
    path = export_outputs(doubling(), str(tmp_path), serve)
    answer = served(path, "serving_default", {"hours-per week": [[1.0, 2.0]], "2": [7]})
    assert answer["double"].tolist() == [[6.0]]
    (signature,) = tf.saved_model.load(path.decode()).signatures.values()
    requests = {"hours_per_week": tf.constant([[1.0, 2.0]]), "input_2": tf.constant([7])}
    assert signature(**requests)["double"].numpy().tolist() == [[6.0]]


def test_the_outputs_of_a_model_of_ones_own_are_named_by_its_layers(tmp_path):
    path = export_outputs(doubling(), str(tmp_path), serve)
    answer = served(path, "serving_default", {"hours-per week": [[1.0, 2.0]], "2": [7]})
    assert {name: value.tolist() for name, value in answer.items()} == {"double": [[6.0]]}
