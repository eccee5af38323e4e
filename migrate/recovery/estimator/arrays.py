"""What ``tf.estimator.inputs`` had, for a TensorFlow without ``tf.estimator``."""

import tensorflow as tf


def numpy_input_fn(
    x,
    y=None,
    batch_size=128,
    num_epochs=1,
    shuffle=None,
    queue_capacity=1000,
    num_threads=1,
):
    """Returns an ``input_fn`` that gives arrays as a ``tf.data.Dataset``, not as tensors.

    Batches run on over the end of an epoch, and the last one may be short.

    Args:
      x: an array or a dict of arrays, of the same first dimension.
      y: the labels, likewise; None for none.
      batch_size: examples a batch.
      num_epochs: how often to go through the examples; None for ever.
      shuffle: True or False.
      queue_capacity: examples among which the next one is drawn, if shuffled.
      num_threads: not used.

    Raises:
      ValueError: if shuffle is neither True nor False.
    """
    if shuffle not in (True, False):
        raise ValueError("shuffle must be True or False.")

    def input_fn():
        examples = tf.data.Dataset.from_tensor_slices(x if y is None else (x, y))
        if shuffle:
            examples = examples.shuffle(queue_capacity)
        return examples.repeat(num_epochs).batch(batch_size)

    return input_fn


def pandas_input_fn(
    x,
    y=None,
    batch_size=128,
    num_epochs=1,
    shuffle=None,
    queue_capacity=1000,
    num_threads=1,
    target_column="target",
):
    """Returns an ``input_fn`` that gives a data frame as a ``tf.data.Dataset``.

    Args:
      x: a ``pandas.DataFrame``, of which each column is a feature.
      y: the labels, a ``pandas.Series`` or ``DataFrame``; None for none.
      target_column: not used; the others are as for ``numpy_input_fn``.

    Raises:
      ValueError: if shuffle is neither True nor False, or x and y have other rows.
    """
    if y is not None and not x.index.equals(y.index):
        raise ValueError("The index of x and that of y differ.")
    labels = dict(y) if getattr(y, "ndim", 1) == 2 else y
    return numpy_input_fn(
        dict(x), labels, batch_size, num_epochs, shuffle, queue_capacity
    )
