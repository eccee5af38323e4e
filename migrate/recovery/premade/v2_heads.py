"""The heads of ``tf.estimator``, for a model_fn or a premade estimator."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .heads import CannedClassification, CannedRegression, check_not_given
from .v2_optimizers import keras_optimizer

_REDUCTIONS = {
    "auto": "weighted_sum_over_batch_size",
    "sum_over_batch_size": "weighted_sum_over_batch_size",
    "sum": "weighted_sum",
}


class KerasOptimizerHead:
    """A base class for heads that also train by a ``tf.keras`` optimizer.

    Args:
      arguments, settings: those of the other base class.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
      loss_fn: must be None.
      name: a suffix of the metrics' names; None for none.
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


class MultiClassHead(KerasOptimizerHead, CannedClassification):
    """A head for more than two classes, as ``tf.estimator.MultiClassHead``.

    Args:
      n_classes: the number of classes, an int.
      weight_column: as for ``CannedHead``.
      label_vocabulary: the labels, a list of strings; None for integer labels.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
      loss_fn: must be None.
      name: a suffix of the metrics' names; None for none.

    Raises:
      ValueError: n_classes is less than 3.
    """

    _min_classes = 3

    def __init__(
        self,
        n_classes,
        weight_column=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        name=None,
    ):
        if n_classes < self._min_classes:
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
      thresholds: probabilities above which an example counts as class 1, a list; each
        one adds its accuracy, precision and recall to the metrics.
    """

    _min_classes = 2

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


class RegressionHead(KerasOptimizerHead, CannedRegression):
    """A head for regression, as ``tf.estimator.RegressionHead``.

    Args:
      label_dimension: how many values to predict for an example, an int.
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
