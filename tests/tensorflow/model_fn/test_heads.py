"""Heads of the Estimator, private and public, in a program that gets ``tf`` by a star import: the same figures."""

import json
import os
import re
import sys

import pytest

from migrate.pipeline.run import run, write
from migrate.settings import Settings
from tests import nursery

MODEL = """\
import tensorflow.compat.v1 as tf
from tensorflow_estimator.python.estimator.canned import head as head_lib
from tensorflow_estimator.python.estimator.canned import optimizers

SUM, MEAN = tf.losses.Reduction.SUM, tf.losses.Reduction.MEAN
HEADS = {
    "two": lambda: head_lib._binary_logistic_or_multi_class_head(2, None, None, SUM),
    "three": lambda: head_lib._binary_logistic_or_multi_class_head(3, "weight", None, MEAN),
    "binary": lambda: head_lib._binary_logistic_head_with_sigmoid_cross_entropy_loss("weight"),
    "softmax": lambda: head_lib._multi_class_head_with_softmax_cross_entropy_loss(3),
    "numbers": lambda: head_lib._regression_head("weight", loss_reduction=MEAN),
}


def model_fn(features, labels, mode, params):
    head = HEADS[params["head"]]()
    kernel = tf.get_variable("kernel", [2, head.logits_dimension], initializer=tf.ones_initializer())
    optimizer = optimizers.get_optimizer_instance(params["optimizer"], 0.1)
    logits = tf.matmul(features["x"], kernel)
    return head.create_estimator_spec(features, mode, logits, labels, train_op_fn=lambda loss: optimizer.minimize(
        loss, global_step=tf.train.get_global_step()))
"""
PUBLIC = """\
import tensorflow.compat.v1 as tf


KERAS = tf.compat.v2.keras
OPTIMIZERS = KERAS.optimizers.legacy if hasattr(KERAS.optimizers.legacy.Adagrad, "get_updates") else KERAS.optimizers
HEADS = {
    "binary": lambda: tf.estimator.BinaryClassHead("weight", thresholds=[0.4, 0.6], name="two"),
    "numbers": lambda: tf.estimator.RegressionHead(weight_column="weight", loss_reduction="sum"),
    "three": lambda: tf.estimator.MultiClassHead(3, name="class"),
}


def model_fn(features, labels, mode, params):
    head = HEADS[params["head"]]()
    kernel = tf.get_variable("kernel", [2, head.logits_dimension], initializer=tf.ones_initializer())
    more = [0.01 * tf.reduce_sum(tf.square(kernel))] if params["head"] == "binary" else None
    given = {}
    if mode == "train" and params["optimizer"] == "Adam":
        given = {"train_op_fn": lambda loss: tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())}
    elif mode == "train":
        optimizer = OPTIMIZERS.Adagrad(0.2)
        optimizer.iterations = tf.train.get_or_create_global_step()
        given = {"optimizer": optimizer, "trainable_variables": [kernel]}
    logits = tf.matmul(features["x"], kernel)
    return head.create_estimator_spec(features, mode, logits, labels, regularization_losses=more, **given)
"""
TRAIN = """\
import json
import sys

from model import *


X = {"x": [[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]], "weight": [[1.0], [2.0], [0.5]]}
LABELS = [[1], [0], [1]]


def text_of(value):
    return value.decode() if isinstance(value, bytes) else float(value)


def main(folder):
    found = {}
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn({"x": tf.FixedLenFeature([2], tf.float32)})
    for head in HEADS:
        params = {"head": head, "optimizer": "Adam" if head in ("two", "three") else tf.train.AdagradOptimizer(0.2)}
        estimator = tf.estimator.Estimator(model_fn, f"{folder}/{head}", params=params)
        estimator.train(lambda: tf.data.Dataset.from_tensors((X, LABELS)).repeat(5), max_steps=5)
        metrics = estimator.evaluate(lambda: tf.data.Dataset.from_tensors((X, LABELS)).repeat(5))
        predicted = next(estimator.predict(lambda: tf.data.Dataset.from_tensors(X)))
        path = estimator.export_saved_model(f"{folder}/{head}/exported", receiver)
        exported = tf.compat.v2.saved_model.load(path.decode())
        found[head] = {
            "metrics": {name: float(value) for name, value in metrics.items()},
            "predicted": {str(key): [text_of(one) for one in value.flat] for key, value in predicted.items()},
            "exported": {key: sorted(one.structured_outputs) for key, one in exported.signatures.items()},
        }
    print(json.dumps(found))


main(sys.argv[1])
"""


@pytest.mark.parametrize("model", [MODEL, PUBLIC], ids=["private", "public"])
def test_each_head_has_its_loss_metrics_predictions_and_outputs(model, tmp_path, old_python):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.py").write_text(model)
        (tmp_path / folder / "train.py").write_text(TRAIN)
    outcome = run([str(tmp_path / "new")], Settings(), jobs=1, progress=None)
    assert all(finding.rewritten for finding in outcome.findings), outcome.findings
    assert write(outcome) == []
    found = {}
    for python, folder in ((old_python, "old"), (sys.executable, "new")):
        # None of Keras 3's optimizers counts the model's steps.
        environment = {**os.environ, **({"TF_USE_LEGACY_KERAS": "1"} if python != old_python else {})}
        done = nursery.run([python, tmp_path / folder / "train.py", str(tmp_path / folder)], environment)
        assert done.returncode == 0, done.stderr[-3000:]
        found[folder] = json.loads(done.stdout.splitlines()[-1])
    assert list(found["old"]) == list(found["new"]) == re.findall(r'^    "([a-z ]+)": lambda', model, re.MULTILINE)
    for head, old in found["old"].items():
        new = found["new"][head]
        assert new["exported"] == old["exported"], head
        assert new["metrics"] == pytest.approx(old["metrics"], rel=1e-6), head
        assert new["predicted"].keys() == old["predicted"].keys(), head
        for key, values in old["predicted"].items():
            expected = values if isinstance(values[0], str) else pytest.approx(values, rel=1e-6)
            assert new["predicted"][key] == expected, (head, key)
