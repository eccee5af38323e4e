"""The Keras program computes what the Estimator computed, on its own line of TensorFlow and on the newest."""

import json
import pickle

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras_predictions import predict_classes, predict_values
from migrate.recovery.keras_premade_metrics import two_class_metrics, value_metrics
from tests.tensorflow.checkpoints.job import OPTIMIZERS, batches, build, carry

# After 30 steps, as a part of the largest weight; v1 Adam multiplies up its powers of beta, Keras computes them anew.
TOLERANCES = {"v1-three-Adam": 5e-5, "v2-three-RMSProp": 2e-3}


def carried(estimators, name, step, directory, **settings):
    return carry(estimators / name / f"model.ckpt-{step}", build(name, **settings), directory / str(step))


def distance(model, other):
    weights, others = (np.concatenate([weight.ravel() for weight in each.get_weights()]) for each in (model, other))
    return np.max(np.abs(weights - others)) / np.max(np.abs(others))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_from_the_same_initial_weights_training_ends_at_the_same_weights(estimators, name, tmp_path):
    start, end = (carried(estimators, name, step, tmp_path) for step in (0, 30))
    assert distance(start, end) > 1e-3
    model = build(name)  # with slots of its own
    model.set_weights(start.get_weights())
    model.fit(batches(estimators, name), verbose=0)
    assert distance(model, end) < TOLERANCES.get(name, 1e-5)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_carried_checkpoint_goes_on_to_the_same_weights(estimators, name, tmp_path):
    model, end = (carried(estimators, name, step, tmp_path) for step in (15, 30))
    model.fit(batches(estimators, name).skip(15), verbose=0)
    assert int(model.optimizer.iterations.numpy()) == 30
    assert distance(model, end) < 1e-5


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        (
            "v1-three-default",
            lambda: [
                tf.keras.metrics.SparseCategoricalAccuracy("accuracy"),
                tf.keras.metrics.SparseCategoricalCrossentropy("average_loss", from_logits=True),
            ],
        ),
        ("v1-two-default", two_class_metrics),
        ("v2-two-default", two_class_metrics),
        ("v1-value-AdamOptimizer", value_metrics),
        ("v2-value-default", value_metrics),
    ],
)
def test_evaluate_gives_the_same_values_under_the_same_names(estimators, name, metrics, tmp_path):
    expected = json.loads((estimators / "evaluate.json").read_text())[name]
    model = carried(estimators, name, int(expected.pop("global_step")), tmp_path, metrics=metrics())
    values = model.evaluate(batches(estimators, name, size=48), verbose=0, return_dict=True)
    assert values.keys() == expected.keys()
    if name == "v1-two-default":
        # Version 1 sums up by the trapezoidal rule, which Keras does not offer for this curve.
        assert values.pop("auc_precision_recall") == pytest.approx(expected.pop("auc_precision_recall"), abs=0.01)
    assert values == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", ["v1-three-default", "v1-two-default", "v1-value-AdamOptimizer"])
def test_predict_yields_the_same_dicts(estimators, name, tmp_path):
    expected = pickle.loads((estimators / "predict.pickle").read_bytes())[name]
    predict = predict_values if "value" in name else predict_classes
    model = carried(estimators, name, 30, tmp_path)
    for prediction, wanted in zip(predict(model, batches(estimators, name)), expected, strict=False):
        assert list(prediction) == list(wanted)
        for key, value in wanted.items():
            assert (prediction[key].dtype, prediction[key].shape) == (value.dtype, value.shape)
            if value.dtype.kind == "f":
                np.testing.assert_allclose(prediction[key], value, rtol=1e-4, atol=1e-6)
            else:
                assert prediction[key].tolist() == value.tolist()
