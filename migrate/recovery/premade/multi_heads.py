"""Heads over several labels, and over several heads, as ``tf.estimator`` had them."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..estimator.estimator import EstimatorSpec
from ..estimator.export_outputs import ClassificationOutput, PredictOutput
from .heads import CannedHead
from .v2_heads import KerasTrained, probabilities_checked, threshold_metrics


class MultiHead(KerasTrained, CannedHead):
    """A head for several objectives at once, as ``tf.estimator.MultiHead``.

    Labels are a dict by the names of the heads; logits too, or a tensor of them all.

    Args:
      heads: each with a name; the first is the default one to serve.
      head_weights: what each head's loss counts; None for 1.

    Raises:
      ValueError: there is no head, or one without a name, or another number of weights.
    """

    def __init__(self, heads, head_weights=None):
        if not heads or not all(head.name for head in heads):
            raise ValueError(f"Each head must have a name, given: {heads}.")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError("heads and head_weights must have the same size.")
        reduction, name = heads[0].loss_reduction, "_".join(one.name for one in heads)
        super().__init__(loss_reduction=reduction, name=name)
        self.units = sum(head.units for head in heads)
        self._heads, self._head_weights = heads, head_weights or [1.0] * len(heads)

    def spec(
        self,
        features,
        labels,
        mode,
        logits,
        train_op_fn,
        update_ops=None,
        regularization_losses=None,
    ):
        """Returns the ``EstimatorSpec`` for one mode, as ``CannedHead.spec`` does."""
        names = [head.name for head in self._heads]
        if not isinstance(logits, dict):
            parts = tf.split(logits, [head.units for head in self._heads], -1)
            logits = dict(zip(names, parts))
        for given in (logits,) if mode == "infer" else (logits, labels):
            missing = sorted(set(names).difference(given))
            if missing:
                raise ValueError(f"No logits or labels for head(s): {missing}")
        specs = {
            head.name: head.spec(
                features,
                labels and labels[head.name],
                mode,
                logits[head.name],
                lambda loss: tf.no_op(),
                update_ops=(),
            )
            for head in self._heads
        }
        predictions = {
            (name, key): value
            for name, spec in specs.items()
            for key, value in spec.predictions.items()
        }
        if mode == "infer":
            outputs = _outputs_of(specs)
            return EstimatorSpec(mode, predictions, export_outputs=outputs)
        losses = [spec.loss for spec in specs.values()]
        loss = tf.add_n([a * b for a, b in zip(losses, self._head_weights)])
        settings = train_op_fn, update_ops, regularization_losses
        spec = self._spec_of(mode, predictions, loss, {}, *settings)
        if mode == "eval":
            metrics = dict(spec.eval_metric_ops)
            for name, own in specs.items():
                metrics[f"loss/{name}"] = tf1.metrics.mean(own.loss)
                metrics.update(own.eval_metric_ops)
            return EstimatorSpec(mode, predictions, spec.loss, None, metrics)
        return spec


def _outputs_of(specs):
    """Returns the outputs of a request: the first head's, and each head's by name."""
    first = next(iter(specs.values()))
    outputs = {"serving_default": first.export_outputs["serving_default"]}
    merged = {}
    for name, spec in specs.items():
        for key, output in spec.export_outputs.items():
            outputs[name if key == "serving_default" else f"{name}/{key}"] = output
        for key, value in spec.export_outputs["predict"].outputs.items():
            merged[f"{name}/{key}"] = value
    return {**outputs, "predict": PredictOutput(merged)}


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
