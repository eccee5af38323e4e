"""Private heads and optimizers of the Estimator, in a program that gets ``tf`` by a star import: the same figures."""

import json
import os
import sys
from pathlib import Path

import pytest

from migrate.run import run, write
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
    spec = head.create_estimator_spec(features, mode, logits, labels, train_op_fn=lambda loss: optimizer.minimize(
        loss, global_step=tf.train.get_global_step()))
    return spec
"""
TRAIN = """\
import json
import sys

from model import *


def input_fn():
    x = {"x": [[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]], "weight": [[1.0], [2.0], [0.5]]}
    return tf.data.Dataset.from_tensors((x, [[1], [0], [1]])).repeat(5)


def main(folder):
    found = {}
    for head in HEADS:
        params = {"head": head, "optimizer": "Adam" if head == "two" else tf.train.AdagradOptimizer(0.2)}
        estimator = tf.estimator.Estimator(model_fn, f"{folder}/{head}", params=params)
        estimator.train(input_fn, max_steps=5)
        found[head] = {name: float(value) for name, value in estimator.evaluate(input_fn).items()}
    print(json.dumps(found))


main(sys.argv[1])
"""


def test_each_head_has_its_loss_and_metrics(tmp_path: Path, old_python: str) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.py").write_text(MODEL)
        (tmp_path / folder / "train.py").write_text(TRAIN)
    outcome = run([str(tmp_path / "new")], Settings(), jobs=1, progress=None)
    assert all(finding.rewritten for finding in outcome.findings), outcome.findings
    assert write(outcome) == []
    found = {}
    for python, folder in ((old_python, "old"), (sys.executable, "new")):
        done = nursery.run([python, tmp_path / folder / "train.py", str(tmp_path / folder)], os.environ.copy())
        assert done.returncode == 0, done.stderr[-3000:]
        found[folder] = json.loads(done.stdout.splitlines()[-1])
    assert found["old"].keys() == found["new"].keys() == {"two", "three", "binary", "softmax", "numbers"}
    for head, metrics in found["old"].items():
        assert found["new"][head] == pytest.approx(metrics, rel=1e-6), head
