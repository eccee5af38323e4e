"""A digest of each batch that training draws, the same from a graph's tensors and from NumPy's arrays.

Only the first 4,096 numbers of each part count, as 32-bit floats or integers, and neither shapes nor the order or names
of the parts do: an ``input_fn`` and a ``Dataset`` that give the same examples have the same digest. Strings are left
out.
"""

from . import event_log, ring, training
from .wrapping import wrap_method

LENGTH = 4096


def watch(module):
    """Watch the iterators of ``tf.data``, eager and traced."""
    wrap_method(module.Iterator, "get_next", _drawn_in_graph)
    if hasattr(module, "OwnedIterator"):  # TensorFlow 1's Estimators draw in graphs alone
        wrap_method(module.OwnedIterator, "_next_internal", _record_batch)


def _record_batch(original, self, *args, **kwargs):
    batch = original(self, *args, **kwargs)
    if training.phase == "train":
        with event_log.contain_errors("batch"):
            _push(batch)
    return batch


def _push(batch):
    import tensorflow as tf

    # Inside fit only the training function's own draws count; Keras 3 also draws one to build the model.
    if not tf.executing_eagerly():
        ring.digests.push(digest_tensors(parts(batch)))
    elif training.driver != "fit":
        # Not `numpy`, which copies the whole batch.
        ring.digests.push(digest_arrays([part._numpy() for part in parts(batch)]))


def _drawn_in_graph(original, self, *args, **kwargs):
    batch = original(self, *args, **kwargs)
    with event_log.contain_errors("batch"):
        remember(parts(batch))
    return batch


def remember(tensors):
    """Keep the tensors of a TF1 graph's batch, for the session's hook to fetch; the first to be named are kept."""
    if tensors and not hasattr(tensors[0].graph, "_recorded_batch"):
        tensors[0].graph._recorded_batch = tensors


def parts(batch):
    """The dense numeric tensors of a batch; a sparse or ragged one counts by its components."""
    import tensorflow as tf

    flat = tf.nest.flatten(batch, expand_composites=True)
    tensors = [part for part in flat if tf.is_tensor(part)]
    return [part for part in tensors if part.dtype.is_floating or part.dtype.is_integer or part.dtype.is_bool]


_weights = None


def digest_arrays(arrays):
    """The digest of NumPy arrays, a signed 32-bit integer."""
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
    """The same digest, as operations of the function that is being traced."""
    import tensorflow as tf

    sums = []
    for tensor in tensors:
        flat = tf.reshape(tensor, [-1])[:LENGTH]
        words = tf.bitcast(tf.cast(flat, "float32"), "int32") if flat.dtype.is_floating else tf.cast(flat, "int32")
        sums.append(tf.reduce_sum(words * (tf.range(tf.size(words)) * 2 + 1)))
    return tf.reduce_sum([part * (part + 3) for part in sums]) if sums else tf.zeros([], "int32")
