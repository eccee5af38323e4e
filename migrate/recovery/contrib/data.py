"""Transformations of datasets of ``tf.contrib.data``."""


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
