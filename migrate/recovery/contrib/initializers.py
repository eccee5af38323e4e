"""Initializers of ``tf.contrib.layers``."""

import math

import tensorflow.compat.v1 as tf1


def variance_scaling_initializer(
    factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=tf1.float32
):
    """Returns an initializer of random numbers with the variance ``factor / n``.

    Args:
      factor: a float.
      mode: n is the number of inputs ("FAN_IN"), of outputs ("FAN_OUT") or their mean
        ("FAN_AVG").
      uniform: whether to use a uniform distribution; else a truncated normal one.
      seed: an int, or None.
      dtype: the default floating point type.

    Raises:
      TypeError: mode is unknown, or dtype is no floating point type.
    """
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"mode {mode!r} is none of FAN_IN, FAN_OUT, FAN_AVG.")
    if not dtype.is_floating:
        raise TypeError(f"{dtype} is no floating point type.")

    def initialize(shape, dtype=dtype, partition_info=None):
        sizes = [float(size) for size in shape] or [1.0]
        receptive_field = math.prod(sizes[:-2])
        inputs, outputs = sizes[-2:][0] * receptive_field, sizes[-1] * receptive_field
        mean = (inputs + outputs) / 2.0
        n = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": mean}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return tf1.random_uniform(shape, -limit, limit, dtype, seed=seed)
        stddev = math.sqrt(1.3 * factor / n)
        return tf1.truncated_normal(shape, 0.0, stddev, dtype, seed=seed)

    return initialize


def xavier_initializer(uniform=True, seed=None, dtype=tf1.float32):
    """Returns Glorot's initializer; see ``variance_scaling_initializer``."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


class Initializers:
    """Has the functions of ``tf.contrib.layers.python.layers.initializers``."""

    variance_scaling_initializer = staticmethod(variance_scaling_initializer)
    xavier_initializer = staticmethod(xavier_initializer)
    xavier_initializer_conv2d = staticmethod(xavier_initializer)
