"""Optimizers of ``tf.contrib`` over others."""

import functools

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


def replicate_model_fn(model_fn, loss_reduction="weighted_sum", devices=None):
    """Returns a model_fn for the one device that there is.

    Args:
      model_fn: takes features, labels, mode and any of params and config.
      loss_reduction: how the losses of several devices were added up; not ``"none"``.
      devices: the names of the devices; None for the machine's GPUs.

    Raises:
      ValueError: there are several devices, or losses would not be reduced.
    """
    if loss_reduction == "none":
        raise ValueError("Tower losses need to be reduced in some way: none is given.")
    devices = devices or [one.name for one in tf.config.list_logical_devices("GPU")]
    if len(devices) > 1:
        raise ValueError(
            f"replicate_model_fn would use {', '.join(devices)}. Take it and "
            "TowerOptimizer away, and give the RunConfig "
            "train_distribute=tf.distribute.MirroredStrategy(); input_fn then gives "
            "each device a batch of its own: divide its batch size by their number."
        )

    @functools.wraps(model_fn)
    def on_one_device(*args, **arguments):
        with tf.device(devices[0] if devices else None):
            return model_fn(*args, **arguments)

    return on_one_device


class TowerOptimizer(WrappedOptimizer):
    """The optimizer of a model_fn that ``replicate_model_fn`` is given.

    Args:
      optimizer_or_optimizer_fn: a ``tf.compat.v1.train.Optimizer``, or what makes one.
    """

    def __init__(self, optimizer_or_optimizer_fn):
        super().__init__(optimizer_or_optimizer_fn, "TowerOptimizer")

    def get_name(self):
        """Returns the name of the other optimizer."""
        return self._optimizer.get_name()
