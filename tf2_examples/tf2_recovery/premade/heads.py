# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 566e7b4da20c7959).
"""The heads of TensorFlow 1's premade estimators: from logits to EstimatorSpec."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..estimator.estimator import EstimatorSpec
from ..estimator.export_outputs import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)


class CannedHead:
    """Makes predictions, loss and metrics of a premade estimator's logits.

    Args:
      weight_column: the feature with the examples' weights, its name or a numeric column.
      loss_reduction: one of ``tf.compat.v1.losses.Reduction``.
    """

    name = None

    def __init__(self, weight_column=None, loss_reduction="weighted_sum"):
        if isinstance(weight_column, str):
            weight_column = tf.feature_column.numeric_column(weight_column)
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction

    @property
    def logits_dimension(self):
        """How many logits an example has, an int."""
        return self.units

    def create_estimator_spec(
        self,
        features,
        mode,
        logits,
        labels=None,
        optimizer=None,
        trainable_variables=None,
        train_op_fn=None,
        update_ops=None,
        regularization_losses=None,
    ):
        """Returns the ``EstimatorSpec`` for one mode, as ``tf.estimator.Head`` does.

        Args:
          features, mode, logits, labels: as for ``spec``.
          optimizer: a ``tf.compat.v1.train.Optimizer``; or
          train_op_fn: takes the loss and returns the train_op.
          trainable_variables: those that the optimizer trains, a list; None for all.
          update_ops: more operations of a step; None for the collection UPDATE_OPS.
          regularization_losses: a list of tensors to add to the loss, or None.

        Raises:
          ValueError: mode is "train" without one of optimizer and train_op_fn, or with both.
        """
        if mode == "train" and (optimizer is None) == (train_op_fn is None):
            raise ValueError("Give one of optimizer and train_op_fn.")

        def minimize(loss):
            return self._minimize(optimizer, loss, trainable_variables)

        train = train_op_fn or minimize
        penalty = regularization_losses
        return self.spec(features, labels, mode, logits, train, update_ops, penalty)

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
        """Returns the ``EstimatorSpec`` for one mode.

        Args:
          features: a dict of tensors.
          labels: a tensor, [batch] or [batch, 1]; None to predict.
          mode: "train", "eval" or "infer".
          logits: a tensor, [batch, units].
          train_op_fn: takes the loss and returns the train_op.
          update_ops, regularization_losses: as for ``create_estimator_spec``.
        """
        with tf.name_scope(self.name or "head"):
            predictions = self._predictions(logits)
            if mode == "infer":
                outputs = self._outputs(predictions)
                return EstimatorSpec(mode, predictions, export_outputs=outputs)
            if labels.shape.rank == 1:
                labels = tf.expand_dims(labels, -1)
            labels = self._prepare_labels(labels)
            losses = self._losses(labels, logits)
            column, weights = self._weight_column, 1.0
            if column is not None:
                weights = tf1.feature_column.input_layer(features, [column])
            loss = tf1.losses.compute_weighted_loss(
                losses, weights, reduction=self._loss_reduction
            )
            penalty = tf.add_n(regularization_losses) if regularization_losses else None
            loss = loss if penalty is None else loss + penalty
            if mode == "eval":
                metrics = self._metrics(labels, predictions, losses, weights)
                if penalty is not None:
                    metrics["regularization_loss"] = tf1.metrics.mean(penalty)
                suffix = f"/{self.name}" if self.name else ""
                metrics = {f"{key}{suffix}": one for key, one in metrics.items()}
                return EstimatorSpec(mode, predictions, loss, None, metrics)
            if update_ops is None:
                update_ops = tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
            train_op = tf.group(train_op_fn(loss), *update_ops)
            return EstimatorSpec(mode, predictions, loss, train_op)

    def _minimize(self, optimizer, loss, variables):
        if not hasattr(optimizer, "compute_gradients"):
            raise ValueError(
                "Give a tf.compat.v1.train.Optimizer, or train_op_fn, in place of "
                f"{optimizer!r}."
            )
        return optimizer.minimize(loss, tf1.train.get_global_step(), variables)

    def _prepare_labels(self, labels):
        return labels

    def _metrics(self, labels, predictions, losses, weights):
        return {"average_loss": tf1.metrics.mean(losses, weights)}


class CannedRegression(CannedHead):
    """The head of ``DNNRegressor`` and the other premade regressors.

    Args:
      label_dimension: how many values to predict for an example, an int.
      weight_column, loss_reduction: as for ``CannedHead``.
    """

    def __init__(self, label_dimension=1, **settings):
        super().__init__(**settings)
        self.units = label_dimension

    def _predictions(self, logits):
        return {"predictions": logits}

    def _outputs(self, predictions):
        return {
            "serving_default": RegressionOutput(predictions["predictions"]),
            "regression": RegressionOutput(predictions["predictions"]),
            "predict": PredictOutput(predictions),
        }

    def _prepare_labels(self, labels):
        return tf.cast(labels, tf.float32)

    def _losses(self, labels, logits):
        return tf1.losses.mean_squared_error(labels, logits, reduction="none")

    def _metrics(self, labels, predictions, losses, weights):
        return {
            **super()._metrics(labels, predictions, losses, weights),
            "prediction/mean": _mean(predictions["predictions"], weights),
            "label/mean": _mean(labels, weights),
        }


class CannedClassification(CannedHead):
    """The head of ``DNNClassifier`` and the other premade classifiers.

    Args:
      n_classes: the number of classes, an int; two classes have one logit.
      label_vocabulary: the labels, a list of strings; None for integer labels.
      pr_curve: the summation_method of ``tf.compat.v1.metrics.auc`` for the area under
        the precision-recall curve.
      weight_column, loss_reduction: as for ``CannedHead``.
    """

    def __init__(
        self, n_classes=2, label_vocabulary=None, pr_curve="trapezoidal", **settings
    ):
        super().__init__(**settings)
        self.units = n_classes if n_classes > 2 else 1
        self._n_classes = n_classes
        self._names = label_vocabulary
        self._pr_curve = pr_curve

    def _predictions(self, logits):
        return _class_predictions(logits, self._names)

    def _outputs(self, predictions):
        classes = ClassificationOutput(
            predictions["probabilities"], predictions["all_classes"]
        )
        outputs = {"serving_default": classes, "classification": classes}
        if self.units == 1:
            outputs["regression"] = RegressionOutput(predictions["logistic"])
        return {**outputs, "predict": PredictOutput(predictions)}

    def _prepare_labels(self, labels):
        if self._names:
            ids = tf.range(len(self._names), dtype=tf.int64)
            entries = tf.lookup.KeyValueTensorInitializer(self._names, ids)
            labels = tf.lookup.StaticHashTable(entries, -1).lookup(labels)
        if self.units == 1:
            labels = tf.cast(labels, tf.float32)
        last = tf.cast(self._n_classes - 1, labels.dtype)
        in_range = tf1.debugging.Assert(
            tf.reduce_all((labels >= 0) & (labels <= last)),
            [f"Labels must be in [0, {self._n_classes - 1}].", labels],
        )
        with tf1.control_dependencies([in_range]):
            return tf.identity(labels)

    def _losses(self, labels, logits):
        if self.units == 1:
            return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
        losses = tf1.losses.sparse_softmax_cross_entropy(
            labels, logits, reduction="none"
        )
        return tf.expand_dims(losses, -1)

    def _metrics(self, labels, predictions, losses, weights):
        metrics, ids = tf1.metrics, predictions["class_ids"]
        found = {
            **super()._metrics(labels, predictions, losses, weights),
            "accuracy": metrics.accuracy(labels, ids, weights),
        }
        if self.units > 1:
            return found
        logistic, baseline = predictions["logistic"], _mean(labels, weights)
        return {
            **found,
            "precision": metrics.precision(labels, ids, weights),
            "recall": metrics.recall(labels, ids, weights),
            "prediction/mean": _mean(logistic, weights),
            "label/mean": baseline,
            "accuracy_baseline": tuple(tf.maximum(v, 1 - v) for v in baseline),
            "auc": metrics.auc(labels, logistic, weights),
            "auc_precision_recall": metrics.auc(
                labels,
                logistic,
                weights,
                curve="PR",
                summation_method=self._pr_curve,
            ),
        }


def _class_predictions(logits, names=None):
    """Returns a dict of the predictions for a batch, under the Estimator's keys.

    Args:
      logits: a tensor, [batch, n_classes], or [batch, 1] for two classes.
      names: the labels, a list of strings; None for integer labels.
    """
    scores, logistic = logits, {}
    if logits.shape[-1] == 1:
        logistic = {"logistic": tf.sigmoid(logits)}
        scores = tf.concat([tf.zeros_like(logits), logits], -1)
    class_ids = tf.expand_dims(tf.argmax(scores, -1), -1)
    all_ids = tf.range(scores.shape[-1])
    if names:
        names = tf.constant(names)
        classes, all_classes = tf.gather(names, class_ids), names
    else:
        classes = tf.strings.as_string(class_ids)
        all_classes = tf.strings.as_string(all_ids)
    multiples = [tf.shape(logits)[0], 1]
    return {
        "logits": logits,
        **logistic,
        "probabilities": tf.nn.softmax(scores),
        "class_ids": class_ids,
        "classes": classes,
        "all_class_ids": tf.tile(all_ids[tf.newaxis], multiples),
        "all_classes": tf.tile(all_classes[tf.newaxis], multiples),
    }


def _mean(values, weights):
    return tf1.metrics.mean(values, tf.broadcast_to(weights, tf.shape(values)))


def check_not_given(**arguments):
    """Raises a ValueError for an argument that is not None: none is supported."""
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise ValueError(f"Not supported of tf.estimator: {', '.join(given)}.")
