"""``shared_embedding_columns`` of both lines in a graph of their own."""

import math
from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def shared_embedding_columns(
    categorical_columns,
    dimension,
    combiner="mean",
    initializer=None,
    shared_embedding_collection_name=None,
    ckpt_to_load_from=None,
    tensor_name_in_ckpt=None,
    max_norm=None,
    trainable=True,
    use_safe_embedding_lookup=True,
):
    """What ``tf.compat.v1.feature_column.shared_embedding_columns`` makes in a graph.

    Args:
      categorical_columns: columns of ``tf.feature_column`` of the same size, a list.
      dimension: the size of the embedding of one value.
      combiner: "mean", "sqrtn" or "sum", for several values of one feature.
      initializer: of the embedding; None for a truncated normal distribution.
      shared_embedding_collection_name: what the embedding is called; None for a name
        that is made of those of the columns.
      max_norm: the norm that each row is clipped to; None for none.
      trainable: whether the embedding is trained.

    Returns:
      A list of columns for ``DenseColumns``, in the order of ``categorical_columns``.

    Raises:
      ValueError: the columns have other sizes, or one of the other arguments is given.
    """
    if (ckpt_to_load_from, tensor_name_in_ckpt) != (None, None):
        raise ValueError("Restore a shared embedding by warm_start_from.")
    if not use_safe_embedding_lookup:
        raise ValueError("Examples without a value need use_safe_embedding_lookup.")
    names = sorted(column.name for column in categorical_columns)
    buckets = {column.num_buckets for column in categorical_columns}
    if len(buckets) != 1:
        raise ValueError(f"{names} have different sizes: {sorted(buckets)}")
    shared = SharedEmbedding(
        shared_embedding_collection_name or "_".join(names) + "_shared_embedding",
        (*buckets, dimension),
        initializer
        or tf.keras.initializers.TruncatedNormal(stddev=1 / math.sqrt(dimension)),
        trainable,
    )
    return [
        SharedEmbeddingColumn(column, shared, combiner, max_norm)
        for column in categorical_columns
    ]


class SharedEmbedding:
    """The embedding of several columns.

    Attributes:
      name: under which a model has it.
      shape: (values, size of the embedding of one).
      initializer: makes its first value.
      trainable: whether it is trained.
    """

    def __init__(self, name, shape, initializer, trainable):
        self.name, self.shape = name, shape
        self.initializer, self.trainable = initializer, trainable

    def transform_feature(self, batch, state):
        """Returns the embedding for all columns of a ``ColumnBatch``, a tensor.

        Each row of it gets one gradient: of the same row read by two columns, Keras 3's
        optimizers would take two steps.
        """
        weights = state.get_variable(self, "embedding_weights")
        return _with_one_gradient_a_row(tf.convert_to_tensor(weights))


@tf.custom_gradient
def _with_one_gradient_a_row(weights):
    def summed(gradient):
        if not isinstance(gradient, tf.IndexedSlices):
            return gradient
        rows, places = tf.unique(gradient.indices)
        values = tf.math.unsorted_segment_sum(
            gradient.values, places, tf.shape(rows)[0]
        )
        return tf.IndexedSlices(values, rows, gradient.dense_shape)

    return tf.identity(weights), summed


class SharedEmbeddingColumn(NamedTuple):
    """A column that looks its values up in a ``SharedEmbedding``.

    Attributes:
      categorical_column: gives the values.
      shared: the embedding.
      combiner: "mean", "sqrtn" or "sum".
      max_norm: the norm that each row is clipped to; None for none.
    """

    categorical_column: Any
    shared: SharedEmbedding
    combiner: str
    max_norm: Any

    @property
    def name(self):
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def variable_shape(self):
        return tf.TensorShape(self.shared.shape[1:])

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec

    def create_state(self, state):
        """Makes what is needed to look values up, once for all columns that share it."""
        if hasattr(self.categorical_column, "create_state"):
            self.categorical_column.create_state(state)
        if self.shared.name not in state.embeddings:
            state.create_variable(
                self.shared,
                "embedding_weights",
                self.shared.shape,
                trainable=self.shared.trainable,
                initializer=self.shared.initializer,
            )

    def get_dense_tensor(self, batch, state):
        """Returns the embeddings of a ``ColumnBatch``, [batch, size]."""
        values = self.categorical_column.get_sparse_tensors(batch, state)
        return tf.nn.safe_embedding_lookup_sparse(
            batch.get(self.shared, state),
            values.id_tensor,
            values.weight_tensor,
            combiner=self.combiner,
            max_norm=self.max_norm,
        )


def tf1_shared_embedding_columns(*args, **settings):
    """``shared_embedding_columns`` of ``tf.compat.v1``, which asks for a graph.

    What it returns belongs to none.
    """
    with tf.Graph().as_default():
        return tf1.feature_column.shared_embedding_columns(*args, **settings)
