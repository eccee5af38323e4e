"""Metrics of ``tf.contrib``; each returns a value and the operation that updates it."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def streaming_pearson_correlation(
    predictions,
    labels,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Returns (value, update) of the Pearson correlation of predictions and labels.

    The arguments are those of ``streaming_covariance``.
    """
    pairs = {
        "covariance": (predictions, labels),
        "variance_predictions": (predictions, predictions),
        "variance_labels": (labels, labels),
    }
    with tf1.variable_scope(name, "pearson_r", (predictions, labels, weights)):
        found = [
            streaming_covariance(*pair, weights, name=scope)
            for scope, pair in pairs.items()
        ]
        value, update = [
            covariance / (tf.sqrt(of_predictions) * tf.sqrt(of_labels))
            for covariance, of_predictions, of_labels in zip(*found)
        ]
    tf1.add_to_collections(metrics_collections or (), value)
    tf1.add_to_collections(updates_collections or (), update)
    return value, update


def streaming_covariance(
    predictions,
    labels,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Returns (value, update) of the sample covariance of two tensors.

    Args:
      predictions, labels: float32, of the same shape; one of them may have an additional
        last dimension of size 1.
      weights: the weight of each pair, of a shape that broadcasts to the labels'; None
        for 1.
      metrics_collections, updates_collections: collections to add value and update to.
      name: the variable scope; None for "covariance".

    Returns:
      Two float32 scalars; NaN before there are two pairs.
    """
    with tf1.variable_scope(name, "covariance", (predictions, labels, weights)):
        names = ("count", "mean_prediction", "mean_label", "comoment")
        variables = [_metric_variable(one) for one in names]
        x, y = tf.reshape(predictions, [-1]), tf.reshape(labels, [-1])
        w = tf.ones_like(y) if weights is None else _flat_weights(weights, labels)
        # The comoment of all pairs is the sum of old, new and between-group comoments.
        count, x_mean, y_mean, comoment = [one.read_value() for one in variables]
        new = tf.reduce_sum(w)
        total = count + new
        x_new = tf.math.divide_no_nan(tf.reduce_sum(x * w), new)
        y_new = tf.math.divide_no_nan(tf.reduce_sum(y * w), new)
        inside = tf.reduce_sum((x - x_new) * (y - y_new) * w)
        share = tf.math.divide_no_nan(count * new, total)
        between = (x_mean - x_new) * (y_mean - y_new) * share
        new_values = [
            total,
            x_mean + tf.math.divide_no_nan((x_new - x_mean) * new, total),
            y_mean + tf.math.divide_no_nan((y_new - y_mean) * new, total),
            comoment + inside + between,
        ]
        assignments = [one.assign(value) for one, value in zip(variables, new_values)]
        value = _covariance(variables[0].read_value(), variables[3].read_value())
        with tf.control_dependencies(assignments):
            update = _covariance(tf.identity(total), new_values[3])
    tf1.add_to_collections(metrics_collections or (), value)
    tf1.add_to_collections(updates_collections or (), update)
    return value, update


def _covariance(count, comoment):
    covariance = comoment / (count - 1.0)
    return tf.where(count <= 1.0, tf.constant(float("nan")), covariance)


def _metric_variable(name):
    keys = [tf1.GraphKeys.LOCAL_VARIABLES, tf1.GraphKeys.METRIC_VARIABLES]
    return tf1.get_variable(
        name,
        [],
        tf.float32,
        tf1.zeros_initializer(),
        trainable=False,
        collections=keys,
        use_resource=True,
    )


def _flat_weights(weights, labels):
    weights, rank = tf.cast(weights, tf.float32), labels.shape.rank
    if weights.shape.rank == rank - 1 and weights.shape.rank:
        weights = tf.expand_dims(weights, -1)
    elif weights.shape.rank == rank + 1:
        weights = tf.squeeze(weights, [-1])
    return tf.reshape(tf.broadcast_to(weights, tf.shape(labels)), [-1])


def f1_score(
    labels,
    predictions,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Returns (value, update) of the best F1 score over several thresholds.

    Args:
      labels: a tensor, cast to bool.
      predictions: a tensor of the same shape, in [0, 1].
      weights: a tensor that broadcasts to the labels' shape; None for 1.
      num_thresholds: how many thresholds in [0, 1] to try, an int.
      metrics_collections, updates_collections: collections to add value and update to.
      name: the variable scope; None for "f1".
    """
    epsilon, steps = 1e-7, num_thresholds - 1
    thresholds = [-epsilon, *(i / steps for i in range(1, steps)), 1.0 + epsilon]
    given = labels, predictions, thresholds, weights
    with tf1.variable_scope(name, "f1", (labels, predictions, weights)):
        precision = tf1.metrics.precision_at_thresholds(*given)
        recall = tf1.metrics.recall_at_thresholds(*given)
        value, update = [
            tf1.reduce_max(2.0 * p * r / (p + r + epsilon))
            for p, r in zip(precision, recall)
        ]
    tf1.add_to_collections(metrics_collections or (), value)
    tf1.add_to_collections(updates_collections or (), update)
    return value, update
