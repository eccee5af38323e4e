"""Regularizers of ``tf.contrib.layers``."""

import tensorflow.compat.v1 as tf1


def l1_regularizer(scale, scope=None):
    """Returns a function that gives ``scale`` times the sum of absolute weights.

    Args:
      scale: a float, or a tensor; 0.0 regularizes nothing.
      scope: the name scope of its operations.
    """
    return _regularizer(scale, scope or "l1_regularizer", _sum_of_absolutes)


def l2_regularizer(scale, scope=None):
    """Returns a function that gives ``scale`` times half the sum of squared weights.

    Args:
      scale: a float, or a tensor; 0.0 regularizes nothing.
      scope: the name scope of its operations.
    """
    return _regularizer(scale, scope or "l2_regularizer", tf1.nn.l2_loss)


def _sum_of_absolutes(weights):
    return tf1.reduce_sum(tf1.abs(weights))


def _regularizer(scale, scope, penalty):
    if isinstance(scale, float) and scale == 0.0:
        return lambda _: None

    def regularize(weights):
        with tf1.name_scope(scope):
            return tf1.convert_to_tensor(scale, weights.dtype) * penalty(weights)

    return regularize
