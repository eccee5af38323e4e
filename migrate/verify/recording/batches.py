"""Records a digest of each batch that training draws, the same for a graph's tensors and for NumPy's arrays.

Only the first 4,096 numbers of each part count, as 32-bit floats or integers, not the shapes, names or order of the
parts: an ``input_fn`` and a ``Dataset`` with the same examples have the same digest. Strings do not count.
"""

from . import event_log, ring, training
from .wrapping import wrap_method

LENGTH = 4096


def watch(module):
    """Watches the iterators of ``tf.data``, eager and traced."""
    wrap_method(module.Iterator, "get_next", _remember_graph_batch)
    if hasattr(module, "OwnedIterator"):  # TensorFlow 1's Estimators only draw in graphs
        wrap_method(module.OwnedIterator, "_next_internal", _record_batch)


def _record_batch(original, self, *args, **kwargs):
    batch = original(self, *args, **kwargs)
    if training.phase == "train":
        with event_log.contain_errors("batch"):
            _push(batch)
    return batch


def _push(batch):
    import tensorflow as tf

    # Inside fit only draws in the training function count: Keras 3 also draws a batch eagerly to build the model.
    if not tf.executing_eagerly():
        ring.digests.push(digest_tensors(numeric_tensors(batch)))
    elif training.driver != "fit":
        # ``numpy`` would copy the whole batch.
        ring.digests.push(digest_arrays([part._numpy() for part in numeric_tensors(batch)]))


def _remember_graph_batch(original, self, *args, **kwargs):
    batch = original(self, *args, **kwargs)
    with event_log.contain_errors("batch"):
        remember_batch(numeric_tensors(batch))
    return batch


def remember_batch(tensors):
    """Stores the tensors of a TF1 graph's first batch, which the session's hook fetches."""
    if tensors and not hasattr(tensors[0].graph, "_recorded_batch"):
        tensors[0].graph._recorded_batch = tensors


def numeric_tensors(batch):
    """Returns the numeric tensors of a batch, for a sparse or ragged one its components."""
    import tensorflow as tf

    flat = tf.nest.flatten(batch, expand_composites=True)
    tensors = [part for part in flat if tf.is_tensor(part)]
    return [part for part in tensors if part.dtype.is_floating or part.dtype.is_integer or part.dtype.is_bool]


_weights = None


def digest_arrays(arrays):
    """Returns the digest of NumPy arrays, a signed 32-bit integer."""
    global _weights
    import numpy as np

    if _weights is None:
        _weights = np.arange(LENGTH, dtype="uint32") * 2 + 1
    total = 0
    for array in arrays:
        flat = np.ravel(array)[:LENGTH]
        words = flat.astype("float32" if flat.dtype.kind == "f" else "int32", copy=False).view("uint32")
        part = int(np.dot(words, _weights[: len(words)]))
        total += part * (part + 3)
    return (total + 2**31) % 2**32 - 2**31


def digest_tensors(tensors):
    """Returns the same digest for tensors of the function that is being traced."""
    import tensorflow as tf

    sums = []
    for tensor in tensors:
        flat = tf.reshape(tensor, [-1])[:LENGTH]
        words = tf.bitcast(tf.cast(flat, "float32"), "int32") if flat.dtype.is_floating else tf.cast(flat, "int32")
        sums.append(tf.reduce_sum(words * (tf.range(tf.size(words)) * 2 + 1)))
    return tf.reduce_sum([part * (part + 3) for part in sums]) if sums else tf.zeros([], "int32")
