# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content c45ee936649e3d16).
"""The input functions of ``tf.estimator.inputs`` for arrays and data frames."""

import numpy as np
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
    """Returns an ``input_fn`` that returns arrays as a ``tf.data.Dataset``, not tensors.

    A batch may hold examples of two epochs; only the last one may be smaller. The graph
    and its files hold no copy of the arrays.

    Args:
      x: an array or a dict of arrays, of the same first dimension.
      y: the labels, likewise; None for none.
      batch_size: examples in a batch, an int.
      num_epochs: how often to repeat the examples; None without end.
      shuffle: True or False.
      queue_capacity: the size of the buffer that shuffles, in examples.
      num_threads: ignored.

    Raises:
      ValueError: shuffle is neither True nor False.
    """
    if shuffle not in (True, False):
        raise ValueError("shuffle must be True or False.")

    def input_fn():
        features = _tensors_of(x)
        data = features if y is None else (features, _tensors_of(y))
        examples = tf.data.Dataset.from_tensor_slices(data)
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
    """Returns an ``input_fn`` that returns a data frame as a ``tf.data.Dataset``.

    Args:
      x: a ``pandas.DataFrame``; each column is a feature.
      y: the labels, a ``pandas.Series`` or ``DataFrame``; None for none.
      target_column: ignored; the others are as for ``numpy_input_fn``.

    Raises:
      ValueError: shuffle is neither True nor False, or the indices of x and y differ.
    """
    if y is not None and not x.index.equals(y.index):
        raise ValueError("The index of x and that of y differ.")
    labels = dict(y) if getattr(y, "ndim", 1) == 2 else y
    options = batch_size, num_epochs, shuffle, queue_capacity
    return numpy_input_fn(dict(x), labels, *options)


def _tensors_of(value):
    """Returns the tensors of an array or of a dict of arrays."""
    if isinstance(value, dict):
        tensors = value.copy()  # Of the same type: an OrderedDict keeps its order.
        tensors.update((name, _tensor_of(one)) for name, one in value.items())
        return tensors
    return _tensor_of(value)


def _tensor_of(value):
    """Returns the tensor of an array; a constant would be part of each graph's file."""
    array = np.asarray(value)
    tensor = tf.numpy_function(lambda: array, [], tf.as_dtype(array.dtype))
    tensor.set_shape(array.shape)
    return tensor
