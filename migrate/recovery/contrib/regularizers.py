"""Regularizers of ``tf.contrib.layers``."""

import tensorflow.compat.v1 as tf1


def l1_regularizer(scale, scope=None):
    """Returns a function of weights: ``scale`` times the sum of their absolute values.

    Args:
      scale: a float, or a tensor; the function returns None for 0.0.
      scope: the name scope; None for "l1_regularizer".
    """
    return _regularizer(
        scale, scope or "l1_regularizer", lambda one: tf1.reduce_sum(tf1.abs(one))
    )


def l2_regularizer(scale, scope=None):
    """Returns a function of weights: ``scale`` times half the sum of their squares.

    Args:
      scale: a float, or a tensor; the function returns None for 0.0.
      scope: the name scope; None for "l2_regularizer".
    """
    return _regularizer(scale, scope or "l2_regularizer", tf1.nn.l2_loss)


def _regularizer(scale, scope, penalty):
    if isinstance(scale, float) and scale == 0.0:
        return lambda _: None

    def regularize(weights):
        with tf1.name_scope(scope):
            return tf1.convert_to_tensor(scale, weights.dtype) * penalty(weights)

    return regularize
