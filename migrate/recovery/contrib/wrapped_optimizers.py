"""Optimizers of ``tf.contrib`` that wrap another optimizer."""

import functools

import tensorflow as tf
import tensorflow.compat.v1 as tf1


class WrappedOptimizer(tf1.train.Optimizer):
    """A ``tf.compat.v1.train.Optimizer`` that delegates to another one.

    Args:
      optimizer: the other optimizer, or a function that makes it at its first use.
      name: of this optimizer.
    """

    def __init__(self, optimizer, name):
        super().__init__(use_locking=False, name=name)
        self._optimizer_or_fn = optimizer

    @property
    def _optimizer(self):
        if callable(self._optimizer_or_fn):
            self._optimizer_or_fn = self._optimizer_or_fn()
        return self._optimizer_or_fn

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


def replicate_model_fn(model_fn, loss_reduction="weighted_sum", devices=None):
    """Returns a model_fn that runs on the only GPU, or on the CPU.

    Args:
      model_fn: takes features, labels, mode and any of params and config.
      loss_reduction: must not be "none"; has no effect on one device.
      devices: the names of the devices, a list; None for this machine's GPUs.

    Raises:
      ValueError: there are several devices, or loss_reduction is "none".
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
    """The optimizer in a model_fn for ``replicate_model_fn``.

    Args:
      optimizer_or_optimizer_fn: an optimizer, or a function that returns one.
    """

    def __init__(self, optimizer_or_optimizer_fn):
        super().__init__(optimizer_or_optimizer_fn, "TowerOptimizer")

    def get_name(self):
        """Returns the name of the other optimizer."""
        return self._optimizer.get_name()
