# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 38ad5c9e45db90c9).
"""What a TF1 ``model_fn`` returns, for a TensorFlow without ``tf.estimator``."""

from typing import Any, NamedTuple


class ModeKeys:
    """The modes that a ``model_fn`` is called in."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = INFER = "infer"  # contrib.learn says INFER


class EstimatorSpec(NamedTuple):
    """What a ``model_fn`` returns, as ``tf.estimator.EstimatorSpec``.

    Attributes:
      mode: one of ``ModeKeys``.
      predictions: a tensor or a dict of tensors; needed to predict.
      loss: a tensor with one value; needed to train and to evaluate.
      train_op: needed to train.
      eval_metric_ops: a dict from name to a pair of value and update, or to a metric.
      export_outputs: a dict from the name of a signature to its outputs.
      training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks:
        ``tf.compat.v1.train.SessionRunHook`` objects.
      scaffold: a ``tf.compat.v1.train.Scaffold``.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    export_outputs: Any = None
    training_chief_hooks: Any = ()
    training_hooks: Any = ()
    scaffold: Any = None
    evaluation_hooks: Any = ()
    prediction_hooks: Any = ()
