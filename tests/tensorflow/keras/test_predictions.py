"""Predictions have the Estimator's keys, shapes and types, and come one at a time."""

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras_predictions import predict_classes, predict_values
from tests.tensorflow.keras.job import FEATURES, dataset, recover, start


def network(outputs):
    inputs = {"x": tf.keras.Input((4,), name="x")}
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(outputs)(inputs["x"]))
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse")
    return model


def described(prediction):
    return {key: (value.dtype.kind, value.dtype.itemsize, value.shape) for key, value in prediction.items()}


def test_classes_have_the_estimators_keys_types_and_shapes():
    assert described(next(predict_classes(network(3), dataset()))) == {
        "logits": ("f", 4, (3,)),
        "probabilities": ("f", 4, (3,)),
        "class_ids": ("i", 8, (1,)),
        "classes": ("O", 8, (1,)),
        "all_class_ids": ("i", 4, (3,)),
        "all_classes": ("O", 8, (3,)),
    }


def test_two_classes_have_one_logit_and_its_logistic():
    prediction = next(predict_classes(network(1), dataset()))
    assert described(prediction) == {
        "logits": ("f", 4, (1,)),
        "logistic": ("f", 4, (1,)),
        "probabilities": ("f", 4, (2,)),
        "class_ids": ("i", 8, (1,)),
        "classes": ("O", 8, (1,)),
        "all_class_ids": ("i", 4, (2,)),
        "all_classes": ("O", 8, (2,)),
    }
    np.testing.assert_allclose(prediction["probabilities"][1], prediction["logistic"][0], rtol=1e-6)


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_class_is_the_most_probable_one(outputs):
    for prediction in predict_classes(network(outputs), dataset().take(10)):
        (class_id,) = prediction["class_ids"]
        assert class_id == np.argmax(prediction["probabilities"])
        assert list(prediction["classes"]) == [b"%d" % class_id]
        assert list(prediction["all_classes"]) == [b"%d" % number for number in prediction["all_class_ids"]]
        np.testing.assert_allclose(np.sum(prediction["probabilities"]), 1, rtol=1e-6)


def test_values_of_a_regressor_stand_under_predictions():
    assert described(next(predict_values(network(2), dataset()))) == {"predictions": ("f", 4, (2,))}


def test_each_example_has_its_own_also_in_a_smaller_last_batch_and_without_labels():
    model = network(1)
    features = tf.data.Dataset.from_tensor_slices({"x": FEATURES}).batch(16)
    values = [prediction["predictions"] for prediction in predict_values(model, features)]
    np.testing.assert_allclose(values, model.predict({"x": FEATURES}, verbose=0), rtol=1e-5, atol=1e-6)


def test_the_newest_checkpoint_is_restored_at_the_first_prediction_not_before(tmp_path):
    predictions = predict_classes(recover(start(tmp_path, 0)[0].manager.checkpoint.model, tmp_path), dataset())
    trained, _ = start(tmp_path, 3)
    expected = trained.manager.checkpoint.model.predict_on_batch({"x": FEATURES[:1]})[0]
    np.testing.assert_allclose(next(predictions)["logits"], expected, rtol=1e-5)


def test_an_endless_dataset_is_drawn_from_only_as_far_as_asked():
    predictions = predict_classes(network(3), dataset())
    assert len([next(predictions) for _ in range(50)]) == 50
