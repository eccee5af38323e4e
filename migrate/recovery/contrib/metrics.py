"""Metrics of ``tf.contrib``; each returns a value and the operation that updates it."""

import tensorflow.compat.v1 as tf1


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
