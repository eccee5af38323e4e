"""The heads of ``tf.estimator``, for a model_fn or for an estimator that takes one."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .heads import CannedClasses, CannedRegression, check_not_given
from .v2_optimizers import keras_optimizer

_REDUCTIONS = {
    "auto": "weighted_sum_over_batch_size",
    "sum_over_batch_size": "weighted_sum_over_batch_size",
    "sum": "weighted_sum",
}


class KerasTrained:
    """What the heads of ``tf.estimator`` have that those of TensorFlow 1 had not.

    Args:
      arguments, settings: the other base class's.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
      loss_fn: must be None.
      name: ends the names of the metrics.
    """

    def __init__(self, *arguments, loss_reduction, loss_fn=None, name=None, **settings):
        check_not_given(loss_fn=loss_fn)
        reduction = _REDUCTIONS.get(loss_reduction, loss_reduction)
        super().__init__(*arguments, loss_reduction=reduction, **settings)
        self.name = name

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
      loss_fn: must be None.
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
        found = super()._metrics(labels, predictions, losses, weights)
        for threshold in self._thresholds:
            ids = tf.cast(predictions["logistic"] > threshold, labels.dtype)
            for name in ("accuracy", "precision", "recall"):
                key = f"{name}/positive_threshold_{threshold:g}"
                found[key] = getattr(tf1.metrics, name)(labels, ids, weights)
        return found


class RegressionHead(KerasTrained, CannedRegression):
    """A head for numbers, as ``tf.estimator.RegressionHead``.

    Args:
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction, name: as for ``MultiClassHead``.
      loss_fn, inverse_link_fn: must be None.
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
        check_not_given(inverse_link_fn=inverse_link_fn)
        super().__init__(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
            loss_fn=loss_fn,
            name=name,
        )


def classes_head(
    n_classes, weight_column=None, label_vocabulary=None, loss_reduction="auto"
):
    """Returns the head for two classes, or for more."""
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
