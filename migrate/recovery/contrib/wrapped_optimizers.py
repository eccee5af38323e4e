"""Optimizers of ``tf.contrib`` over others."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


class WrappedOptimizer(tf1.train.Optimizer):
    """A ``tf.compat.v1.train.Optimizer`` over another, whose slots it shows.

    Args:
      optimizer: the other, or a function that makes it in the graph that is used.
      name: of this one.
    """

    def __init__(self, optimizer, name):
        super().__init__(use_locking=False, name=name)
        self._given = optimizer

    @property
    def _optimizer(self):
        if callable(self._given):
            self._given = self._given()
        return self._given

    def compute_gradients(self, *args, **options):
        """Returns the other's gradients and variables."""
        return self._optimizer.compute_gradients(*args, **options)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Returns the other's operation."""
        return self._optimizer.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, *args, **options):
        """Returns the other's slot."""
        return self._optimizer.get_slot(*args, **options)

    def get_slot_names(self, *args, **options):
        """Returns the names of the other's slots."""
        return self._optimizer.get_slot_names(*args, **options)

    def variables(self):
        """Returns the other's variables."""
        return self._optimizer.variables()


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
