"""Clipped gradients for an estimator, which ``tf.contrib.estimator`` had."""

import tensorflow as tf

from migrate.recovery.model_fn_wrapped_optimizer import WrappedOptimizer


def clip_gradients_by_norm(optimizer, clip_norm):
    """Returns an optimizer that clips the gradients together, then takes the other's step.

    Args:
      optimizer: a ``tf.compat.v1.train.Optimizer``.
      clip_norm: the largest norm of all gradients together, above 0.
    """
    return _Clipping(optimizer, clip_norm)


class _Clipping(WrappedOptimizer):
    def __init__(self, optimizer, clip_norm):
        super().__init__(optimizer, "ClipByNorm" + optimizer.get_name())
        self._clip_norm = clip_norm

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        gradients, variables = zip(*grads_and_vars)
        clipped, _ = tf.clip_by_global_norm(gradients, self._clip_norm)
        return super().apply_gradients(list(zip(clipped, variables)), global_step, name)
