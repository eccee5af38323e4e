"""A model_fn that ``tf.contrib.estimator`` replicated over the GPUs of a machine."""

import functools

import tensorflow as tf

from .wrapped_optimizers import WrappedOptimizer


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
