"""The head of ``tf.estimator`` for classes of which an example can have several."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.canned_head import CannedHead
from migrate.recovery.estimator_heads import KerasTrained, threshold_metrics
from migrate.recovery.linked_regression_heads import probabilities_checked
from migrate.recovery.model_fn_serving import ClassificationOutput, PredictOutput


class MultiLabelHead(KerasTrained, CannedHead):
    """A head for several classes at once, as ``tf.estimator.MultiLabelHead``.

    Labels are a tensor of zeros and ones, [batch, n_classes], or a ``tf.SparseTensor``
    of the classes' numbers or names.

    Args:
      n_classes: how many classes there are, two or more.
      weight_column, loss_reduction, loss_fn, name: as for ``MultiClassHead``.
      thresholds: as for ``BinaryClassHead``.
      label_vocabulary: the classes' names, a list of strings.
      classes_for_class_based_metrics: numbers or names of classes that have metrics of
        their own.

    Raises:
      ValueError: n_classes is less than 2, or label_vocabulary has another length.
    """

    def __init__(
        self,
        n_classes,
        weight_column=None,
        thresholds=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        classes_for_class_based_metrics=None,
        name=None,
    ):
        if n_classes is None or n_classes < 2:
            raise ValueError(f"n_classes must be > 1, given: {n_classes}.")
        if label_vocabulary and len(label_vocabulary) != n_classes:
            raise ValueError(f"label_vocabulary must have {n_classes} names.")
        super().__init__(
            weight_column=weight_column,
            loss_reduction=loss_reduction,
            loss_fn=loss_fn,
            name=name,
        )
        self.units = n_classes
        self._names = label_vocabulary
        self._thresholds = thresholds or ()
        classes = classes_for_class_based_metrics or ()
        self._own_metrics = [
            label_vocabulary.index(one) if isinstance(one, str) else one
            for one in classes
        ]

    _pr_curve = "careful_interpolation"

    def _predictions(self, logits):
        names = self._names or [str(number) for number in range(self.units)]
        return {
            "logits": logits,
            "probabilities": tf.sigmoid(logits),
            "classes": tf.tile([names], [tf.shape(logits)[0], 1]),
        }

    def _outputs(self, predictions):
        classes = ClassificationOutput(
            predictions["probabilities"], predictions["classes"]
        )
        return {
            "serving_default": classes,
            "classification": classes,
            "predict": PredictOutput(predictions),
        }

    def _checked(self, labels):
        if not isinstance(labels, tf.SparseTensor):
            return probabilities_checked(labels)
        if labels.dtype == tf.string:
            ids = tf.range(self.units, dtype=tf.int64)
            entries = tf.lookup.KeyValueTensorInitializer(self._names, ids)
            labels = tf.lookup.StaticHashTable(entries, -1).lookup(labels)
        return tf.cast(tf1.sparse_to_indicator(labels, self.units), tf.int64)

    def _losses(self, labels, logits, features):
        if self._loss_fn is not None:
            return super()._losses(labels, logits, features)
        labels = tf.cast(labels, logits.dtype)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
        return tf.reduce_mean(losses, -1, keepdims=True)

    def _metrics(self, labels, predictions, losses, weights):
        probabilities, metrics = predictions["probabilities"], tf1.metrics
        found = {
            **super()._metrics(labels, predictions, losses, weights),
            **self._areas("", labels, probabilities, weights),
            **threshold_metrics(labels, probabilities, weights, self._thresholds),
        }
        for one in self._own_metrics:
            key = f"/{self._names[one]}" if self._names else f"/class{one}"
            own = probabilities[:, one : one + 1]
            each = tf.broadcast_to(weights, tf.shape(own))
            found[f"probability_mean{key}"] = metrics.mean(own, each)
            found.update(self._areas(key, labels[:, one : one + 1], own, weights))
        return found

    def _areas(self, key, labels, probabilities, weights):
        return {
            f"auc{key}": tf1.metrics.auc(labels, probabilities, weights),
            f"auc_precision_recall{key}": tf1.metrics.auc(
                labels,
                probabilities,
                weights,
                curve="PR",
                summation_method=self._pr_curve,
            ),
        }
