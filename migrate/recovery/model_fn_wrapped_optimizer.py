"""An optimizer that leaves its work to another."""

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
