"""Transformations of datasets that ``tf.contrib.data`` had."""

import tensorflow as tf


def batch_and_drop_remainder(batch_size):
    """Returns a function for ``Dataset.apply`` that makes whole batches alone.

    Args:
      batch_size: how many elements a batch has.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    """Returns a function for ``Dataset.apply`` that makes whole, padded batches alone.

    Args:
      batch_size, padded_shapes, padding_values: of ``Dataset.padded_batch``.
    """
    options = {"padding_values": padding_values, "drop_remainder": True}
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, **options)


def sliding_window_batch(window_size, stride=None, window_shift=None, window_stride=1):
    """Returns a function for ``Dataset.apply`` that makes batches of whole windows.

    Args:
      window_size: how many elements a window has.
      stride, window_shift: how far a window is from the next, by one of the two names.
      window_stride: how far an element of a window is from the next.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Give one of stride and window_shift.")
    shift = next((one for one in (window_shift, stride) if one is not None), 1)

    def batched(*parts):
        parts = parts[0] if len(parts) == 1 else parts
        whole = tf.nest.map_structure(lambda one: one.batch(window_size), parts)
        if isinstance(whole, tf.data.Dataset):
            return whole
        return tf.data.Dataset.zip(whole)

    return lambda dataset: dataset.window(
        window_size, shift, window_stride, drop_remainder=True
    ).flat_map(batched)
