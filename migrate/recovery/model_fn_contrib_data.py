"""Transformations of datasets that ``tf.contrib.data`` had."""


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
