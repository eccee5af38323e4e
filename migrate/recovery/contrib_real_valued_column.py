"""A column of numbers by the arguments that ``tf.contrib.layers`` had for it."""

import tensorflow as tf


def real_valued_column(
    column_name, dimension=1, default_value=None, dtype=tf.float32, normalizer=None
):
    """Returns the ``tf.feature_column`` of a feature of numbers.

    Args:
      column_name: the feature's name.
      dimension: how many numbers an example has, an int.
      default_value: what stands for a missing one: a number, or a list of them.
      dtype: of the numbers.
      normalizer: a function of the feature's tensor, or None.
    """
    return tf.feature_column.numeric_column(
        column_name, dimension, default_value, dtype, normalizer
    )
