"""The heads of ``tf.contrib.learn``'s premade estimators, and what these predict."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .learn_estimator import LearnEstimator, ModelFnOps

_THRESHOLD = 0.5


class _LearnPremade(LearnEstimator):
    def predict(
        self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True
    ):
        """Predicts; without outputs the plainest alone. See ``LearnEstimator.predict``."""
        if not outputs:
            return self._plainest(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def _only(self, key, x, input_fn, batch_size, as_iterable):
        found = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return (one[key] for one in found) if as_iterable else found[key]


class LearnClassifier(_LearnPremade):
    """What the classifiers of ``tf.contrib.learn`` predict."""

    def predict_classes(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """Predicts the class of each example, an int."""
        found = self._only("classes", x, input_fn, batch_size, as_iterable)
        return found if as_iterable else found.reshape(-1)

    def predict_proba(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """Predicts the probabilities of the classes."""
        return self._only("probabilities", x, input_fn, batch_size, as_iterable)

    def _plainest(self, *given):
        return self.predict_classes(*given)


class LearnRegressor(_LearnPremade):
    """What the regressors of ``tf.contrib.learn`` predict."""

    def predict_scores(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """Predicts the numbers of each example."""
        return self._only("scores", x, input_fn, batch_size, as_iterable)

    def _plainest(self, *given):
        return self.predict_scores(*given)


def head_of_classes(n_classes):
    """Returns the head of a classifier.

    Raises:
      ValueError: there are less than two classes.
    """
    if n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    return _Binary() if n_classes == 2 else _MultiClass(n_classes)


def weighted_ops(head, mode, logits, labels, features, weight_column, step_of):
    """Returns the ``ModelFnOps`` of a network, in the variables' scope of the head.

    Args:
      head: of ``head_of_classes``, or a ``Regression``.
      mode, labels, features: of the model_fn.
      logits: a tensor [batch, head.dimension].
      weight_column: the feature with the weights of the examples, or None.
      step_of: takes the loss and returns what trains.
    """
    with tf1.variable_scope(None, head.scope):
        weights = _weights(features, weight_column)
        return _ops(head, mode, logits, labels, weights, step_of)


def _weights(features, name):
    if not name:
        return None
    weights = tf.cast(features[name], tf.float32)
    return tf.reshape(weights, [-1, 1]) if weights.shape.rank == 1 else weights


def _ops(head, mode, logits, labels, weights, step_of):
    predictions = head.predictions(logits)
    if mode == "infer" or labels is None:
        return ModelFnOps(mode, predictions)
    losses = head.losses(labels, logits)
    loss = average = tf.reduce_mean(losses)
    if weights is not None:
        if weights.shape.rank != losses.shape.rank:
            raise ValueError("The labels need a second dimension, as the weights have.")
        weighted = losses * weights
        loss = tf.reduce_mean(weighted)
        average = tf.reduce_sum(weighted) / tf.reduce_sum(weights)
    with tf1.name_scope(""):
        tf1.summary.scalar("loss", average)
    step = None
    if mode == "train":
        with tf1.name_scope(None, "train_op"):
            step = step_of(loss)
    metrics = head.metrics(predictions, labels, weights)
    metrics["loss"] = tf1.metrics.mean(average)
    return ModelFnOps(mode, predictions, loss, step, metrics)


def _in_two_dimensions(labels):
    return tf.expand_dims(labels, 1) if labels.shape.rank == 1 else labels


class Regression:
    """The head of a regressor, whose labels have ``dimension`` numbers."""

    scope = "regression_head"

    def __init__(self, dimension):
        self.dimension = dimension

    def predictions(self, logits):
        return {"scores": tf.squeeze(logits, [1]) if self.dimension == 1 else logits}

    def losses(self, labels, logits):
        labels = tf.cast(_in_two_dimensions(labels), tf.float32)
        logits.shape.assert_is_compatible_with(labels.shape)
        return tf.math.squared_difference(logits, labels)

    def metrics(self, predictions, labels, weights):
        return {}


class _MultiClass:
    scope = "multi_class_head"

    def __init__(self, dimension):
        self.dimension = dimension

    def predictions(self, logits):
        return {
            "logits": logits,
            "probabilities": tf.nn.softmax(logits),
            "classes": tf.argmax(logits, 1),
        }

    def losses(self, labels, logits):
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer: {labels.dtype}.")
        one = tf.squeeze(labels, [1]) if labels.shape.rank == 2 else labels
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(one, logits)
        return tf.expand_dims(losses, 1) if labels.shape.rank == 2 else losses

    def metrics(self, predictions, labels, weights):
        classes = predictions["classes"]
        return {"accuracy": tf1.metrics.accuracy(labels, classes, weights)}


class _Binary:
    scope, dimension = "binary_logistic_head", 1

    def predictions(self, logits):
        of_both = tf.concat([tf.zeros_like(logits), logits], 1)
        return {
            "logits": logits,
            "logistic": tf.sigmoid(logits),
            "probabilities": tf.nn.softmax(of_both),
            "classes": tf.argmax(of_both, 1),
        }

    def losses(self, labels, logits):
        labels = _in_two_dimensions(tf.cast(labels, tf.float32))
        return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)

    def metrics(self, predictions, labels, weights):
        of, chance, mean = (
            tf1.metrics,
            predictions["logistic"],
            "%s/positive_threshold_%f_mean",
        )
        numbers = tf.cast(labels, tf.float32)
        flags = tf.cast(labels, tf.bool)
        above = tf.cast(chance >= _THRESHOLD, tf.float32)
        found = {
            "accuracy": of.accuracy(labels, predictions["classes"], weights),
            "labels/prediction_mean": of.mean(chance, weights),
            "labels/actual_label_mean": of.mean(numbers, weights),
            "accuracy/baseline_label_mean": of.mean(numbers, weights),
            "auc": of.auc(flags, chance, weights),
            "auc_precision_recall": of.auc(flags, chance, weights, curve="PR"),
            f"accuracy/threshold_{_THRESHOLD:f}_mean": of.accuracy(
                labels, above, weights
            ),
        }
        for name in ("precision", "recall"):
            at = getattr(of, f"{name}_at_thresholds")
            pair = at(labels, chance, [_THRESHOLD], weights)
            found[mean % (name, _THRESHOLD)] = tuple(tf.squeeze(one) for one in pair)
        return found
