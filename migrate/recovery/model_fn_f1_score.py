"""The best F1 score of a classifier, as ``tf.contrib.metrics`` had it."""

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
    """Returns the best F1 score over some thresholds, and what updates it.

    Args:
      labels: a tensor, whose values are taken as bools.
      predictions: a tensor of the same shape, from 0 to 1.
      weights: a tensor, or None.
      num_thresholds: how many thresholds from 0 to 1 are tried.
      metrics_collections, updates_collections: where value and update go, too.
      name: the variables' scope.
    """
    least, steps = 1e-7, num_thresholds - 1
    thresholds = [-least, *(i / steps for i in range(1, steps)), 1.0 + least]
    given = labels, predictions, thresholds, weights
    with tf1.variable_scope(name, "f1", (labels, predictions, weights)):
        precision = tf1.metrics.precision_at_thresholds(*given)
        recall = tf1.metrics.recall_at_thresholds(*given)
        value, update = [
            tf1.reduce_max(2.0 * p * r / (p + r + least))
            for p, r in zip(precision, recall)
        ]
    tf1.add_to_collections(metrics_collections or (), value)
    tf1.add_to_collections(updates_collections or (), update)
    return value, update
