"""The numbers that ``tf.contrib.layers.crossed_column`` gave to crossed features."""

import tensorflow as tf

_SEED = 0xDECAFCAFFE
_ADDED = 0x9E3779B97F4A7800 - (1 << 64)  # as an int64
_LARGEST = (1 << 63) - 1


def crossed_features(features, buckets, hash_key=None):
    """Returns the combinations of each example's features as numbers, a SparseTensor.

    Args:
      features: tensors and SparseTensors [batch, values] of strings or integers.
      buckets: how many numbers there are, an int.
      hash_key: an int; None or 0 for the hash that TensorFlow 1 took by itself, which
        ``tf.sparse.cross_hashed`` does not have.
    """
    sparse = [one for one in features if isinstance(one, tf.SparseTensor)]
    features = sparse + [
        one for one in features if not isinstance(one, tf.SparseTensor)
    ]
    if hash_key:
        return tf.sparse.cross_hashed(features, buckets, hash_key)
    crossed = None
    for feature in features:
        numbers = _ragged(feature)
        if crossed is None:
            seeds = tf.fill(tf.shape(numbers.values), tf.constant(_SEED, tf.int64))
            crossed = numbers.with_values(_combined(seeds, numbers.values))
            continue
        rows = crossed.value_rowids()
        others = tf.gather(numbers, rows)
        counts = others.row_lengths()
        values = _combined(tf.repeat(crossed.values, counts), others.values)
        rows = tf.repeat(rows, counts)
        crossed = tf.RaggedTensor.from_value_rowids(values, rows, crossed.nrows())
    positive = tf.bitcast(crossed.values, tf.uint64)
    places = positive % tf.constant(buckets, tf.uint64)
    return crossed.with_values(tf.cast(places, tf.int64)).to_sparse()


def _ragged(feature):
    """Returns the int64 of each value, an example a row."""
    if isinstance(feature, tf.SparseTensor):
        rows, count = feature.indices[:, 0], feature.dense_shape[0]
        values = _as_numbers(feature.values)
        return tf.RaggedTensor.from_value_rowids(values, rows, count)
    return tf.RaggedTensor.from_tensor(_as_numbers(feature), row_splits_dtype=tf.int64)


def _as_numbers(values):
    if values.dtype != tf.string:
        return tf.cast(values, tf.int64)
    # Of the 64 bits of a fingerprint two remainders are to be had.
    rest = tf.strings.to_hash_bucket_fast(values, _LARGEST)
    is_odd = tf.strings.to_hash_bucket_fast(values, 2)
    return tf.where(tf.equal(rest % 2, is_odd), rest, rest + _LARGEST)


def _combined(first, second):
    shift = tf.bitwise
    moved = shift.left_shift(first, tf.constant(10, tf.int64))
    moved += shift.right_shift(first, tf.constant(4, tf.int64))
    return shift.bitwise_xor(first, second + _ADDED + moved)
