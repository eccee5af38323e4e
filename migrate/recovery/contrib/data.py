"""Transformations of datasets of ``tf.contrib.data``."""

import tensorflow as tf


def batch_and_drop_remainder(batch_size):
    """Returns a function for ``Dataset.apply`` that makes full batches only.

    Args:
      batch_size: the number of elements in a batch.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    """Returns a function for ``Dataset.apply`` that makes full, padded batches.

    Args:
      batch_size, padded_shapes, padding_values: as for ``Dataset.padded_batch``.
    """
    options = {"padding_values": padding_values, "drop_remainder": True}
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, **options)


def sliding_window_batch(window_size, stride=None, window_shift=None, window_stride=1):
    """Returns a function for ``Dataset.apply`` that batches full sliding windows.

    Args:
      window_size: the number of elements in a window.
      stride, window_shift: the distance between windows; give one of them, or None for 1.
      window_stride: the distance between the elements of a window.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Give one of stride and window_shift.")
    shift = next((one for one in (window_shift, stride) if one is not None), 1)

    def batch_window(*parts):
        parts = parts[0] if len(parts) == 1 else parts
        whole = tf.nest.map_structure(lambda one: one.batch(window_size), parts)
        if isinstance(whole, tf.data.Dataset):
            return whole
        return tf.data.Dataset.zip(whole)

    return lambda dataset: dataset.window(
        window_size, shift, window_stride, drop_remainder=True
    ).flat_map(batch_window)
