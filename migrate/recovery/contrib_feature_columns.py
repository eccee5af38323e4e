"""Makes the feature columns of ``tf.contrib.layers``, which are none of ``tf.feature_column``."""

import math

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .contrib_column_kinds import (
    _BucketizedColumn,
    _CrossedColumn,
    _EmbeddingColumn,
    _OneHotColumn,
    _RealValuedColumn,
    _SparseColumn,
    _SparseColumnHashed,
    _SparseColumnIntegerized,
    _SparseColumnKeys,
    _SparseColumnVocabulary,
    _WeightedSparseColumn,
    _Words,
)


def real_valued_column(
    column_name, dimension=1, default_value=None, dtype=tf.float32, normalizer=None
):
    """Returns the column of a feature of numbers.

    Args:
      column_name: the feature's name.
      dimension: how many numbers an example has, an int.
      default_value: what stands for a missing one: a number, or a list of them.
      dtype: of the numbers.
      normalizer: a function of the feature's tensor, or None.

    Raises:
      ValueError: the dimension is below 1, or there are not as many default values.
    """
    if dimension < 1:
        raise ValueError(f"dimension must be greater than 0: {dimension}.")
    if default_value is not None:
        values = np.ravel(default_value).tolist()
        values = values * dimension if np.ndim(default_value) == 0 else values
        if len(values) != dimension:
            raise ValueError(f"Not as many default values as {dimension}: {values}.")
        default_value = tuple(
            float(one) if dtype.is_floating else one for one in values
        )
    return _RealValuedColumn(column_name, dimension, default_value, dtype, normalizer)


def sparse_column_with_integerized_feature(
    column_name, bucket_size, combiner="sum", dtype=tf.int64
):
    """Returns the column of a feature of numbers from 0, taken modulo ``bucket_size``."""
    return _SparseColumnIntegerized(
        column_name, True, bucket_size, None, combiner, dtype
    )


def sparse_column_with_hash_bucket(
    column_name, hash_bucket_size, combiner="sum", dtype=tf.string, hash_keys=None
):
    """Returns the column of a feature whose values are hashed into buckets.

    Args:
      column_name: the feature's name.
      hash_bucket_size: how many buckets there are.
      combiner: "sum", "mean" or "sqrtn", of an example's several values.
      dtype: of the feature, string or an integer.
      hash_keys: a list of pairs of integers, each for a hash of its own; or None.
    """
    column = _SparseColumnHashed(
        column_name, False, hash_bucket_size, None, combiner, dtype
    )
    column.hash_keys = hash_keys
    return column


def sparse_column_with_keys(
    column_name, keys, default_value=-1, combiner="sum", dtype=tf.string
):
    """Returns the column of a feature whose values are listed.

    Args:
      column_name, combiner, dtype: as of ``sparse_column_with_hash_bucket``.
      keys: the values, a list.
      default_value: the place of other values; -1 for none.
    """
    words = _Words(None, tuple(keys), 0, len(keys), default_value)
    return _SparseColumnKeys(column_name, False, None, words, combiner, dtype)


def sparse_column_with_vocabulary_file(
    column_name,
    vocabulary_file,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=-1,
    combiner="sum",
    dtype=tf.string,
):
    """Returns the column of a feature whose values are the lines of a file.

    Args:
      column_name, combiner, dtype: as of ``sparse_column_with_hash_bucket``.
      vocabulary_file: the file's path.
      num_oov_buckets: how many places to share among other values.
      vocab_size: how many lines to read, an int.
      default_value: the place of other values where there are no buckets.
    """
    if vocab_size is None:
        raise ValueError(f"vocab_size must be given. column_name: {column_name}")
    words = _Words(vocabulary_file, None, num_oov_buckets, vocab_size, default_value)
    return _SparseColumnVocabulary(column_name, False, None, words, combiner, dtype)


def weighted_sparse_column(sparse_id_column, weight_column_name, dtype=tf.float32):
    """Returns a column whose values have weights, of the feature of that name."""
    return _WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


def one_hot_column(sparse_id_column):
    """Returns how often an example has each value of a sparse column."""
    return _OneHotColumn(sparse_id_column)


def embedding_column(
    sparse_id_column,
    dimension,
    combiner="mean",
    initializer=None,
    ckpt_to_load_from=None,
    tensor_name_in_ckpt=None,
    max_norm=None,
    trainable=True,
):
    """Returns a column with a vector for each value of a sparse column.

    Args:
      sparse_id_column: a sparse, a weighted or a crossed column.
      dimension: how many numbers a vector has.
      combiner: "sum", "mean" or "sqrtn", of an example's several values.
      initializer: of the vectors; None for a truncated normal one whose deviation is 1
        by the root of how many there are.
      ckpt_to_load_from, tensor_name_in_ckpt: where the vectors come from, or None.
      max_norm: the largest norm of a vector, or None.
      trainable: whether they are trained.
    """
    return _embedding(
        sparse_id_column,
        (dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt),
        (None, None, max_norm, trainable),
    )


def _embedding(column, given, more):
    dimension, combiner, initializer, *checkpoint = given
    if initializer is None:
        deviation = 1 / math.sqrt(column.length)
        initializer = tf1.truncated_normal_initializer(0.0, deviation)
    return _EmbeddingColumn(
        column, dimension, combiner, initializer, *checkpoint, *more
    )


def shared_embedding_columns(
    sparse_id_columns,
    dimension,
    combiner="mean",
    shared_embedding_name=None,
    initializer=None,
    ckpt_to_load_from=None,
    tensor_name_in_ckpt=None,
    max_norm=None,
    trainable=True,
):
    """Returns a column for each sparse column, all with the same vectors, a tuple.

    Args:
      sparse_id_columns: sparse or weighted columns of equally many values, a list.
      shared_embedding_name: of the vectors' variable; None for one of the columns'.
      dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
      max_norm, trainable: as of ``embedding_column``.
    """
    first = sparse_id_columns[0]
    length = None
    if len(sparse_id_columns) > 1:
        length = first.length
        if any(column.length != length for column in sparse_id_columns):
            raise ValueError("The input sparse id columns are not compatible.")
        shared_embedding_name = shared_embedding_name or _name_of(sparse_id_columns)
    given = dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt
    more = shared_embedding_name, length, max_norm, trainable
    columns = [_embedding(one, given, more) for one in sparse_id_columns]
    return tuple(columns) if len(columns) > 1 else columns


def _name_of(columns):
    sparse = [one for one in columns if isinstance(one, _SparseColumn)]
    weighted = [one for one in columns if not isinstance(one, _SparseColumn)]
    by_name = sorted(weighted, key=lambda column: column.name)
    names = [column.name for column in sorted(sparse) + by_name]
    others = f"_plus_{len(names) - 3}_others" if len(names) > 3 else ""
    return "_".join(names[:3]) + others + "_shared_embedding"


def bucketized_column(source_column, boundaries):
    """Returns the bucket of each number of a column, between sorted boundaries."""
    boundaries = list(boundaries)
    if boundaries != sorted(boundaries) or not boundaries:
        raise ValueError(f"boundaries must be a sorted list: {boundaries}.")
    return _BucketizedColumn(source_column, tuple(dict.fromkeys(boundaries)))


def crossed_column(
    columns,
    hash_bucket_size,
    combiner="sum",
    ckpt_to_load_from=None,
    tensor_name_in_ckpt=None,
    hash_key=None,
):
    """Returns a column of the combinations of others.

    Args:
      columns: sparse, bucketized and crossed columns, at least two.
      hash_bucket_size: how many numbers there are for the combinations.
      combiner: "sum", "mean" or "sqrtn", of an example's several combinations.
      ckpt_to_load_from, tensor_name_in_ckpt: where the weights come from, or None.
      hash_key: of the hash, an int, or None.
    """
    if len(columns) < 2:
        raise ValueError(f"columns must contain at least 2 elements: {columns}.")
    ordered = tuple(sorted(columns, key=lambda column: column.name))
    checkpoint = ckpt_to_load_from, tensor_name_in_ckpt
    return _CrossedColumn(ordered, hash_bucket_size, hash_key, combiner, *checkpoint)
