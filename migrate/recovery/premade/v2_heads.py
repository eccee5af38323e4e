"""The heads of ``tf.estimator``, for a model_fn or for an estimator that takes one."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..estimator.model_fn_call import argument_names
from .heads import CannedClasses, CannedRegression
from .v2_optimizers import keras_optimizer

_REDUCTIONS = {
    "auto": "weighted_sum_over_batch_size",
    "sum_over_batch_size": "weighted_sum_over_batch_size",
    "sum": "weighted_sum",
}


def loss_reduction_in_graph(name):
    """Returns the ``tf.compat.v1.losses.Reduction`` for one of ``tf.keras.losses``."""
    return _REDUCTIONS.get(name, name)


class KerasTrained:
    """What the heads of ``tf.estimator`` have that those of TensorFlow 1 had not.

    Args:
      arguments, settings: the other base class's.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
      loss_fn: takes labels and logits, and features if it has such an argument, and
        returns the loss of each example, [batch, losses]; None for the head's own.
      name: ends the names of the metrics, and is the head's in a ``MultiHead``.
    """

    _losses_of_example = 1

    def __init__(self, *arguments, loss_reduction, loss_fn=None, name=None, **settings):
        reduction = loss_reduction_in_graph(loss_reduction)
        super().__init__(*arguments, loss_reduction=reduction, **settings)
        self.loss_reduction, self.name, self._loss_fn = loss_reduction, name, loss_fn

    def _losses(self, labels, logits, features):
        if self._loss_fn is None:
            return super()._losses(labels, logits, features)
        takes_features = "features" in argument_names(self._loss_fn)
        given = {"features": features} if takes_features else {}
        losses = self._loss_fn(labels=labels, logits=logits, **given)
        return tf.ensure_shape(losses, [None, self._losses_of_example])

    def _minimize(self, optimizer, loss, variables):
        if hasattr(optimizer, "compute_gradients"):
            return super()._minimize(optimizer, loss, variables)
        made, step = keras_optimizer(optimizer, None), tf1.train.get_global_step()
        if variables is None:
            variables = tf1.trainable_variables()
        return made.train_op(loss, variables, step, True)


class MultiClassHead(KerasTrained, CannedClasses):
    """A head for more than two classes, as ``tf.estimator.MultiClassHead``.

    Args:
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
      loss_fn: takes labels, logits and perhaps features; returns [batch, 1].
      name: ends the names of the metrics.

    Raises:
      ValueError: n_classes is less than 3.
    """

    _fewest = 3

    def __init__(
        self,
        n_classes,
        weight_column=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        name=None,
    ):
        if n_classes < self._fewest:
            raise ValueError(f"n_classes must be > 2, given: {n_classes}.")
        super().__init__(
            n_classes,
            label_vocabulary,
            "careful_interpolation",
            weight_column=weight_column,
            loss_reduction=loss_reduction,
            loss_fn=loss_fn,
            name=name,
        )


class BinaryClassHead(MultiClassHead):
    """A head for two classes, as ``tf.estimator.BinaryClassHead``.

    Args:
      weight_column, label_vocabulary, loss_reduction, loss_fn, name: as for
        ``MultiClassHead``.
      thresholds: probabilities above which an example is counted as of class 1, each
        for metrics of its own.
    """

    _fewest = 2

    def __init__(
        self,
        weight_column=None,
        thresholds=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        name=None,
    ):
        settings = weight_column, label_vocabulary, loss_reduction, loss_fn, name
        super().__init__(2, *settings)
        self._thresholds = thresholds or ()

    def _metrics(self, labels, predictions, losses, weights):
        return {
            **super()._metrics(labels, predictions, losses, weights),
            **threshold_metrics(
                labels, predictions["logistic"], weights, self._thresholds
            ),
        }


class RegressionHead(KerasTrained, CannedRegression):
    """A head for numbers, as ``tf.estimator.RegressionHead``.

    Args:
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction, name: as for ``MultiClassHead``.
      loss_fn: takes labels, logits and perhaps features; returns
        [batch, label_dimension].
      inverse_link_fn: makes predictions of the logits; None where they are the same.
    """

    def __init__(
        self,
        label_dimension=1,
        weight_column=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        inverse_link_fn=None,
        name=None,
    ):
        super().__init__(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
            loss_fn=loss_fn,
            name=name,
        )
        self._losses_of_example = label_dimension
        self._inverse_link_fn = inverse_link_fn

    def _predictions(self, logits):
        if self._inverse_link_fn is None:
            return super()._predictions(logits)
        return {"predictions": self._inverse_link_fn(logits), "logits": logits}


def threshold_metrics(labels, probabilities, weights, thresholds):
    """Returns metrics of what is true above each of some probabilities, a dict."""
    found, metrics = {}, tf1.metrics
    for threshold in thresholds:
        ids = tf.cast(probabilities > threshold, labels.dtype)
        key = f"positive_threshold_{threshold:g}"
        found[f"accuracy/{key}"] = metrics.accuracy(labels, ids, weights)
        found[f"precision/{key}"] = metrics.precision(labels, ids, weights)
        found[f"recall/{key}"] = metrics.recall(labels, ids, weights)
    return found


def classes_head(
    n_classes, weight_column=None, label_vocabulary=None, loss_reduction="auto"
):
    """Returns the head for two classes, or for more."""
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


class PoissonRegressionHead(RegressionHead):
    """A head for counts, as ``tf.estimator.PoissonRegressionHead``.

    Args:
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction, name: as for ``MultiClassHead``.
      compute_full_loss: whether to add the constant part of the loss.
    """

    def __init__(
        self,
        label_dimension=1,
        weight_column=None,
        loss_reduction="sum_over_batch_size",
        compute_full_loss=True,
        name=None,
    ):
        def loss_fn(labels, logits):
            return tf.nn.log_poisson_loss(labels, logits, compute_full_loss)

        settings = loss_reduction, loss_fn, tf.exp, name
        super().__init__(label_dimension, weight_column, *settings)


class LogisticRegressionHead(RegressionHead):
    """A head for a probability, as ``tf.estimator.LogisticRegressionHead``.

    Args:
      weight_column, loss_reduction, name: as for ``MultiClassHead``.
    """

    def __init__(
        self, weight_column=None, loss_reduction="sum_over_batch_size", name=None
    ):
        loss_fn = tf.nn.sigmoid_cross_entropy_with_logits
        super().__init__(1, weight_column, loss_reduction, loss_fn, tf.sigmoid, name)

    def _checked(self, labels):
        return probabilities_checked(super()._checked(labels))


def probabilities_checked(labels):
    """Returns labels that are checked, as a step runs, to be from 0 to 1."""
    in_range = tf.debugging.Assert(
        tf.reduce_all((labels >= 0) & (labels <= 1)),
        ["Labels must be in [0, 1].", labels],
    )
    with tf.control_dependencies([in_range]):
        return tf.identity(labels)
