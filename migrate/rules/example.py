"""An example of a rule: a small program, whose frame all examples share."""

from dataclasses import dataclass

from migrate.settings import Settings


@dataclass(frozen=True)
class Example:
    """A program with a site of the rule, and a line that its rewrite must hold.

    Attributes:
      before: what stands in the Estimator program, on the line that ``slot`` names.
      after: text that the rewritten program must contain; None where the program must be left.
      slot: which part of the program ``before`` replaces: ``config``, ``estimator``, ``train``, ``evaluate``,
        ``predict``, ``train_input_fn``, ``columns``, ``hook`` or ``head`` (a line before the estimator); ``module``
        where ``before`` is a whole file.
      recovery: the recovery target.
      kind: the kind of the program.
      target: the TensorFlow that the output runs on.
    """

    before: str
    after: str | None
    slot: str = "config"
    recovery: str = "auto"
    kind: str = "premade"
    target: str = "portable"

    @property
    def source(self) -> str:
        """The whole program before."""
        return self.before if self.slot == "module" else program(self.kind, **{self.slot: self.before})

    @property
    def settings(self) -> Settings:
        """The choices that it is rewritten with."""
        return Settings(recovery=self.recovery, target=self.target)


def line(before: str, after: str | None) -> Example:
    """A line of a ``model_fn``'s program, before its estimator is made."""
    return Example(before, after, "head", kind="custom")


SLOTS = {
    "head": "pass",
    "config": "RunConfig(save_checkpoints_steps=5)",
    "columns": '[tf1.feature_column.numeric_column("x")]',
    "train_input_fn": 'numpy_input_fn({"x": x}, y, shuffle=False)',
    "estimator": "hidden_units=[8]",
    "train": "max_steps=10",
    "evaluate": "",
    "predict": "",
    "hook": "self.count = 0",
}

_PREMADE = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.compat.v1.estimator import RunConfig
from tensorflow.compat.v1.estimator.inputs import numpy_input_fn, pandas_input_fn


class Hook(tf1.train.SessionRunHook):
    def begin(self):
        self.count = 0

    def before_run(self, run_context):
        {hook}


def dataset_fn(size):
    return tf.data.Dataset.from_tensor_slices(({{"x": [1.0]}}, [0])).batch(size)


def main(args, x, y):
    {head}
    config = {config}
    columns = {columns}
    train_input_fn = {train_input_fn}
    test_input_fn = numpy_input_fn({{"x": x}}, y, shuffle=False)
    model = tf1.estimator.DNNClassifier(feature_columns=columns, config=config, {estimator})
    model.train(train_input_fn, {train}{hooks})
    metrics = model.evaluate(test_input_fn, {evaluate})
    for prediction in model.predict(test_input_fn, {predict}):
        print(metrics, prediction)
"""


_CUSTOM = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.compat.v1.estimator import BestExporter, EvalSpec, LatestExporter, RunConfig
from tensorflow.compat.v1.estimator import TrainSpec, train_and_evaluate
from tensorflow.compat.v1.estimator.inputs import numpy_input_fn


class Hook(tf1.train.SessionRunHook):
    def before_run(self, run_context):
        return tf1.train.SessionRunArgs("loss:0")


def model_fn(features, labels, mode, params):
    logits = tf.matmul(features["x"], tf1.get_variable("w", [1, 2]))
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == {mode}:
        optimizer = tf1.train.AdamOptimizer()
        train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
        return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    return tf1.estimator.EstimatorSpec(mode, predictions=logits, loss=loss)


def builder(size):
    def built(features, labels, mode):
        return model_fn(features, labels, mode, size)

    return built


def with_config(features, labels, mode, config):
    return model_fn(features, labels, mode, config)


def reads_config(features, labels, mode, config):
    tf1.logging.info("%s %s", config.model_dir, config.save_summary_steps)
    return model_fn(features, labels, mode, {{}})


def test_input_fn():
    return tf.data.Dataset.from_tensor_slices(({{"x": [[1.0]]}}, [0])).batch(1)


def main(args, x):
    {head}
    config = {config}
    train_input_fn = {train_input_fn}
    model = tf1.estimator.Estimator(config=config, model_dir="/tmp/m", {estimator})
    model.train(train_input_fn, {train})
    {both}
    metrics = model.evaluate(test_input_fn, {evaluate})
    for prediction in model.predict(test_input_fn, {predict}):
        print(metrics, prediction)
"""
_CUSTOM_SLOTS = {
    "both": "pass",
    "mode": "tf1.estimator.ModeKeys.TRAIN",
    "estimator": "model_fn=model_fn",
    "train_input_fn": "test_input_fn",
}


_KERAS = """\
import tensorflow as tf
from tensorflow.estimator import RunConfig


def test_input_fn():
    return tf.data.Dataset.from_tensor_slices(({{"x": [[1.0]]}}, [0.0])).batch(1)


def main(args, model):
    config = {config}
    estimator = tf.keras.estimator.model_to_estimator({estimator}, model_dir="/tmp/m", config=config)
    estimator.train(test_input_fn, {train})
    metrics = estimator.evaluate(test_input_fn, {evaluate})
    for prediction in estimator.predict(test_input_fn, {predict}):
        print(metrics, prediction)
"""


_TPU_IMPORT = (
    "EvalSpec, LatestExporter, RunConfig\n",
    "EvalSpec, LatestExporter\nfrom tensorflow.compat.v1.estimator.tpu import RunConfig, TPUConfig\n",
)


def program(kind: str = "premade", **slots: str) -> str:
    """An Estimator program of a kind, ``premade``, ``keras``, ``custom``, ``tpu``, with some ``SLOTS`` replaced."""
    if kind in ("custom", "tpu"):
        if "both" in slots:
            slots["both"] = f"train_and_evaluate(model, {slots['both']})"
        if kind == "tpu":
            slots["estimator"] = f"model_fn=model_fn, {slots.get('estimator', 'use_tpu=False')}"
        text = _CUSTOM.format(**{**SLOTS, **_CUSTOM_SLOTS, **slots})
        if kind == "tpu":
            text = text.replace(*_TPU_IMPORT).replace("estimator.Estimator(", "estimator.tpu.TPUEstimator(")
            text = text.replace("def test_input_fn():", "def test_input_fn(params):")
        return text.replace("input_fn, )", "input_fn)")
    if kind == "keras":
        return _KERAS.format(**{**SLOTS, **slots}).replace("input_fn, )", "input_fn)")
    filled = {**SLOTS, **slots}
    hooks = "" if "hooks=" in filled["train"] or "\n" in filled["train"] else ", hooks=[Hook()]"
    return _PREMADE.format(hooks=hooks, **filled).replace("input_fn, )", "input_fn)").replace(", , ", ", ")
