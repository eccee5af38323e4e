"""Optimizers of ``tf.contrib`` that wrap another optimizer."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


class WrappedOptimizer(tf1.train.Optimizer):
    """A ``tf.compat.v1.train.Optimizer`` that delegates to another one.

    Args:
      optimizer: the other optimizer.
      name: of this optimizer.
    """

    def __init__(self, optimizer, name):
        super().__init__(use_locking=False, name=name)
        self._optimizer = optimizer

    def compute_gradients(self, *args, **options):
        """Returns the gradients and variables of the other optimizer."""
        return self._optimizer.compute_gradients(*args, **options)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Returns the train_op of the other optimizer."""
        return self._optimizer.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, *args, **options):
        """Returns a slot of the other optimizer."""
        return self._optimizer.get_slot(*args, **options)

    def get_slot_names(self, *args, **options):
        """Returns the names of the other optimizer's slots."""
        return self._optimizer.get_slot_names(*args, **options)

    def variables(self):
        """Returns the variables of the other optimizer."""
        return self._optimizer.variables()


def clip_gradients_by_norm(optimizer, clip_norm):
    """Returns an optimizer that clips the gradients by their global norm.

    Args:
      optimizer: the ``tf.compat.v1.train.Optimizer`` that takes the step.
      clip_norm: the largest global norm, a positive float.
    """
    return _ClippingOptimizer(optimizer, clip_norm)


class _ClippingOptimizer(WrappedOptimizer):
    def __init__(self, optimizer, clip_norm):
        super().__init__(optimizer, "ClipByNorm" + optimizer.get_name())
        self._clip_norm = clip_norm

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        gradients, variables = zip(*grads_and_vars)
        clipped, _ = tf.clip_by_global_norm(gradients, self._clip_norm)
        return super().apply_gradients(list(zip(clipped, variables)), global_step, name)
