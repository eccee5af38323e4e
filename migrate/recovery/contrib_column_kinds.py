"""The kinds of feature columns that ``tf.contrib.layers`` had, by their names there."""

import collections

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .contrib_column_base import CategoricalColumn, ContribColumn, DenseColumn
from .contrib_column_cross import crossed_features
from .contrib_lookup import index_table_from_file, index_table_from_tensor

_Words = collections.namedtuple(
    "_SparseIdLookupConfig",
    ["vocabulary_file", "keys", "num_oov_buckets", "vocab_size", "default_value"],
)
_SPARSE = ["column_name", "is_integerized", "bucket_size", "lookup_config"]
_SPARSE += ["combiner", "dtype"]


class _SparseColumn(
    ContribColumn, CategoricalColumn, collections.namedtuple("_SparseColumn", _SPARSE)
):
    hash_keys = None

    @property
    def name(self):
        return self.column_name

    @property
    def length(self):
        if self.bucket_size is not None:
            return self.bucket_size
        return self.lookup_config.vocab_size + self.lookup_config.num_oov_buckets

    @property
    def config(self):
        return {self.column_name: tf.io.VarLenFeature(self.dtype)}

    def ids(self, transformed):
        return transformed

    def weights(self, transformed):
        return None

    def linear(self, transformed):
        return transformed, self.weights(transformed), self.length, self.combiner

    def transformed(self, features):
        given = features.get(self.name)
        if not isinstance(given, tf.SparseTensor):
            given = in_two_dimensions(given)
            ignored = "" if given.dtype == tf.string else -1
            places = tf.where(tf.not_equal(given, tf.cast(ignored, given.dtype)))
            shape = tf.shape(given, tf.int64)
            given = tf.SparseTensor(places, tf.gather_nd(given, places), shape)
        return self._numbered(given)

    def _with(self, given, values):
        return tf.SparseTensor(given.indices, values, given.dense_shape)


class _SparseColumnIntegerized(_SparseColumn):
    def _numbered(self, given):
        size = tf.cast(self.bucket_size, given.dtype)
        return self._with(given, tf.math.floormod(given.values, size))


class _SparseColumnHashed(_SparseColumn):
    def _numbered(self, given):
        is_number = self.dtype.is_integer
        words = tf.strings.as_string(given.values) if is_number else given.values
        if not self.hash_keys:
            places = tf.strings.to_hash_bucket_fast(words, self.bucket_size)
            return self._with(given, places)
        strong, size = tf.strings.to_hash_bucket_strong, self.bucket_size
        each = [self._with(given, strong(words, size, key)) for key in self.hash_keys]
        return tf.sparse.concat(1, each)


class _SparseColumnKeys(_SparseColumn):
    def _numbered(self, given):
        table = index_table_from_tensor(
            self.lookup_config.keys,
            default_value=self.lookup_config.default_value,
            dtype=self.dtype,
        )
        if self.dtype.is_integer:
            given = tf.cast(given, tf.int64)
        return table.lookup(given)


class _SparseColumnVocabulary(_SparseColumn):
    def _numbered(self, given):
        if self.dtype.is_integer:
            given = self._with(given, tf.strings.as_string(given.values))
        words = self.lookup_config
        table = index_table_from_file(
            words.vocabulary_file,
            words.num_oov_buckets,
            words.vocab_size,
            words.default_value,
        )
        return table.lookup(given)


_WEIGHTED = ["sparse_id_column", "weight_column_name", "dtype"]


class _WeightedSparseColumn(
    ContribColumn,
    CategoricalColumn,
    collections.namedtuple("_WeightedSparseColumn", _WEIGHTED),
):
    @property
    def name(self):
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self):
        return self.sparse_id_column.length

    @property
    def config(self):
        weights = {self.weight_column_name: tf.io.VarLenFeature(self.dtype)}
        return {**self.sparse_id_column.config, **weights}

    def ids(self, transformed):
        return transformed[0]

    def weights(self, transformed):
        return transformed[1]

    def linear(self, transformed):
        return *transformed, self.length, self.sparse_id_column.combiner

    def transformed(self, features):
        weights = features.get(self.weight_column_name)
        if not isinstance(weights, tf.SparseTensor):
            weights = tf.sparse.from_dense(weights)
        if not self.dtype.is_floating:
            weights = tf.cast(weights, tf.float32)
        return features.get(self.sparse_id_column), weights


class _OneHotColumn(
    ContribColumn,
    DenseColumn,
    collections.namedtuple("_OneHotColumn", ["sparse_id_column"]),
):
    @property
    def name(self):
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def width(self):
        return self.sparse_id_column.length

    def transformed(self, features):
        return features.get(self.sparse_id_column)

    def dense(self, transformed):
        length = self.sparse_id_column.length
        ids = self.sparse_id_column.ids(transformed)
        weights = self.sparse_id_column.weights(transformed)
        if weights is None:
            places = tf.sparse.to_dense(ids, default_value=-1)
            return tf.reduce_sum(tf.one_hot(places, length), axis=1)
        merged = tf1.sparse_merge(ids, weights, length)
        known = tf.sparse.slice(
            merged, tf.zeros_like(merged.dense_shape), merged.dense_shape
        )
        return tf.reshape(tf.sparse.to_dense(known), [-1, length])


_EMBEDDING = ["sparse_id_column", "dimension", "combiner", "initializer"]
_EMBEDDING += ["ckpt_to_load_from", "tensor_name_in_ckpt", "shared_embedding_name"]
_EMBEDDING += ["shared_vocab_size", "max_norm", "trainable"]


class _EmbeddingColumn(
    ContribColumn, DenseColumn, collections.namedtuple("_EmbeddingColumn", _EMBEDDING)
):
    _unsorted = "initializer"

    @property
    def name(self):
        shared = "" if self.shared_embedding_name is None else "shared_"
        return f"{self.sparse_id_column.name}_{shared}embedding"

    @property
    def length(self):
        return self.shared_vocab_size or self.sparse_id_column.length

    @property
    def width(self):
        return self.dimension

    def transformed(self, features):
        return features.get(self.sparse_id_column)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        from .contrib_column_layers import embedded

        given = inputs.get(self)
        return embedded(self, given, weight_collections, trainable is not False)

    def linear(self, transformed):
        raise ValueError(f"Column {self} is not supported in linear models.")


_REAL = ["column_name", "dimension", "default_value", "dtype", "normalizer"]


class _RealValuedColumn(
    ContribColumn, DenseColumn, collections.namedtuple("_RealValuedColumn", _REAL)
):
    _unsorted = "normalizer"
    linear = None

    @property
    def name(self):
        return self.column_name

    @property
    def width(self):
        return self.dimension

    @property
    def config(self):
        default = None if self.default_value is None else list(self.default_value)
        feature = tf.io.FixedLenFeature([self.dimension], self.dtype, default)
        return {self.column_name: feature}

    def transformed(self, features):
        given = features.get(self.name)
        changed = given if self.normalizer is None else self.normalizer(given)
        return tf.cast(changed, tf.float32)

    def dense(self, transformed):
        return in_two_dimensions(transformed)


class _BucketizedColumn(
    ContribColumn,
    CategoricalColumn,
    DenseColumn,
    collections.namedtuple("_BucketizedColumn", ["source_column", "boundaries"]),
):
    combiner = "sum"

    @property
    def name(self):
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self):
        return len(self.boundaries) + 1

    @property
    def config(self):
        return self.source_column.config

    def transformed(self, features):
        given = features.get(self.source_column)
        return tf.raw_ops.Bucketize(input=given, boundaries=list(self.boundaries))

    @property
    def width(self):
        return self.length * self.source_column.dimension

    @property
    def _num_buckets(self):
        return self.width

    def ids(self, transformed):
        return self.sparse(transformed)

    def weights(self, transformed):
        return None

    def dense(self, transformed):
        return tf.reshape(tf.one_hot(transformed, self.length), [-1, self.width])

    def sparse(self, transformed):
        """Returns a number for each bucket of each of the column's places."""
        dimension, batch = self.source_column.dimension, tf.shape(transformed)[0]
        places = tf.tile(tf.range(dimension), [batch])
        rows = tf.repeat(tf.range(batch), dimension)
        values = tf.reshape(transformed, [-1]) + self.length * places
        indices = tf.cast(tf.stack([rows, places], 1), tf.int64)
        shape = tf.cast(tf.stack([batch, dimension]), tf.int64)
        return tf.SparseTensor(indices, values, shape)

    def linear(self, transformed):
        return self.sparse(transformed), None, self.width, self.combiner


_CROSSED = ["columns", "hash_bucket_size", "hash_key", "combiner"]
_CROSSED += ["ckpt_to_load_from", "tensor_name_in_ckpt"]


class _CrossedColumn(
    ContribColumn, CategoricalColumn, collections.namedtuple("_CrossedColumn", _CROSSED)
):
    @property
    def name(self):
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def length(self):
        return self.hash_bucket_size

    @property
    def config(self):
        return {key: one for part in self.columns for key, one in part.config.items()}

    def ids(self, transformed):
        return transformed

    def weights(self, transformed):
        return None

    def linear(self, transformed):
        return transformed, None, self.length, self.combiner

    def transformed(self, features):
        given = []
        for column in self._leaves():
            is_raw = isinstance(column, _SparseColumn)
            found = features.get(column.name if is_raw else column)
            given.append(found if is_raw else column.sparse(found))
        return crossed_features(given, self.hash_bucket_size, self.hash_key)

    def _leaves(self):
        for column in self.columns:
            inner = isinstance(column, _CrossedColumn)
            yield from column._leaves() if inner else [column]


def in_two_dimensions(tensor):
    """Returns a tensor [batch, values]."""
    tensor = tf.convert_to_tensor(tensor)
    if tensor.shape.rank == 1:
        return tf.expand_dims(tensor, -1)
    if tensor.shape.rank == 2:
        return tensor
    width = tensor.shape[1:].num_elements() if tensor.shape.rank else None
    return tf.reshape(tensor, [tf.shape(tensor)[0], width or -1])
