"""Predictions of a Keras model have the names of its outputs, and come one at a time."""

import numpy as np
import tensorflow as tf

from migrate.recovery.keras.predictions import predict_outputs
from tests.tensorflow.keras.job import FEATURES, dataset


def network(*outputs):
    inputs = {"x": tf.keras.Input((4,), name="x")}
    made = [tf.keras.layers.Dense(units, name=f"out_{units}")(inputs["x"]) for units in outputs]
    model = tf.keras.Model(inputs, made if len(made) > 1 else made[0])
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse")
    return model


def test_the_values_of_each_output_stand_under_the_name_of_its_layer():
    prediction = next(predict_outputs(network(1, 3), dataset()))
    assert {name: value.shape for name, value in prediction.items()} == {"out_1": (1,), "out_3": (3,)}


def test_each_example_has_its_own_also_in_a_smaller_last_batch_and_without_labels():
    model = network(1)
    features = tf.data.Dataset.from_tensor_slices({"x": FEATURES}).batch(16)
    values = [prediction["out_1"] for prediction in predict_outputs(model, features)]
    np.testing.assert_allclose(values, model.predict({"x": FEATURES}, verbose=0), rtol=1e-5, atol=1e-6)


def test_an_endless_dataset_is_drawn_from_only_as_far_as_asked():
    predictions = predict_outputs(network(3), dataset())
    assert len([next(predictions) for _ in range(50)]) == 50
