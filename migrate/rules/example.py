"""Examples of rules: small programs, most of them made from shared templates."""

from typing import NamedTuple

from migrate.settings import Settings


class Example(NamedTuple):
    """A program with a site of the rule, and text that its rewrite must contain.

    Attributes:
      before: the source that replaces a part of the template.
      after: text that the rewritten program must contain; None where the program must be skipped.
      slot: the part that ``before`` replaces: ``config``, ``estimator``, or ``head`` (a line before the estimator);
        ``module`` where ``before`` is a whole file.
      recovery: the option ``--recovery``.
      kind: the template: ``premade``, ``custom`` or ``tpu``.
      target: the option ``--target``.
    """

    before: str
    after: str | None
    slot: str = "config"
    recovery: str = "auto"
    kind: str = "premade"
    target: str = "portable"

    @property
    def source(self) -> str:
        """The whole program before the rewrite."""
        return self.before if self.slot == "module" else program(self.kind, **{self.slot: self.before})

    @property
    def settings(self) -> Settings:
        """The settings that it is rewritten with."""
        return Settings(recovery=self.recovery, target=self.target)


def example(before: str, after: str | None) -> Example:
    """Returns an example of a line before the estimator in a program with a ``model_fn``."""
    return Example(before, after, "head", kind="custom")


SLOTS = {"head": "pass", "config": "RunConfig(save_checkpoints_steps=5)", "estimator": "hidden_units=[8]"}
"""The parts of a program that an example may replace, with their defaults."""

_PREMADE = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.compat.v1.estimator import RunConfig
from tensorflow.compat.v1.estimator.inputs import numpy_input_fn, pandas_input_fn


class Hook(tf1.train.SessionRunHook):
    def begin(self):
        self.count = 0

    def before_run(self, run_context):
        self.count = 0


def dataset_fn(size):
    return tf.data.Dataset.from_tensor_slices(({{"x": [1.0]}}, [0])).batch(size)


def main(args, x, y):
    {head}
    config = {config}
    columns = [tf1.feature_column.numeric_column("x")]
    train_input_fn = numpy_input_fn({{"x": x}}, y, shuffle=False)
    test_input_fn = numpy_input_fn({{"x": x}}, y, shuffle=False)
    model = tf1.estimator.DNNClassifier(feature_columns=columns, config=config, {estimator})
    model.train(train_input_fn, max_steps=10, hooks=[Hook()])
    metrics = model.evaluate(test_input_fn)
    for prediction in model.predict(test_input_fn):
        print(metrics, prediction)
"""

_CUSTOM = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1
{imports}


def model_fn(features, labels, mode, params):
    logits = tf.matmul(features["x"], tf1.get_variable("w", [1, 2]))
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf1.estimator.ModeKeys.TRAIN:
        optimizer = tf1.train.AdamOptimizer()
        train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
        return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    return tf1.estimator.EstimatorSpec(mode, predictions=logits, loss=loss)


def test_input_fn({parameters}):
    return tf.data.Dataset.from_tensor_slices(({{"x": [[1.0]]}}, [0])).batch(1)


def main(args, x):
    {head}
    config = {config}
    model = tf1.estimator.{name}(config=config, model_dir="/tmp/m", {estimator})
    model.train(test_input_fn, max_steps=10)
    metrics = model.evaluate(test_input_fn)
    for prediction in model.predict(test_input_fn):
        print(metrics, prediction)
"""
_IMPORTS = "from tensorflow.compat.v1.estimator import RunConfig"
_KINDS = {
    "custom": {"imports": _IMPORTS, "name": "Estimator", "parameters": "", "estimator": "model_fn=model_fn"},
    "tpu": {
        "imports": f"{_IMPORTS.replace('estimator', 'estimator.tpu')}, TPUConfig",
        "name": "tpu.TPUEstimator",
        "parameters": "params",
    },
}
"""The differences between the kinds of programs with a ``model_fn``."""


def program(kind: str = "premade", **slots: str) -> str:
    """Returns an Estimator program of a kind, ``premade``, ``custom`` or ``tpu``, with some ``SLOTS`` replaced."""
    if kind == "tpu":
        slots["estimator"] = f"model_fn=model_fn, {slots.get('estimator', 'use_tpu=False')}"
    return (_PREMADE if kind == "premade" else _CUSTOM).format(**{**SLOTS, **_KINDS.get(kind, {}), **slots})
