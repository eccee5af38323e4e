"""A linear model of feature columns as a Keras layer."""

import tensorflow as tf

from migrate.recovery.column_batch import (
    ColumnBatch,
    ColumnState,
    in_order,
    trained_variable,
    weight_name,
)


class LinearColumns(tf.keras.layers.Layer):
    """Adds up weights of features, as the Estimator's linear models do.

    Takes a dict of features and gives [batch, units].

    Args:
      columns: numeric, bucketized and categorical columns of ``tf.feature_column``.
      units: how many sums an example has.
      sparse_combiner: "sum", "mean" or "sqrtn", for several values of one feature.

    Attributes:
      kernels: the weights by the names of their columns.
      bias: a weight, [units].
    """

    def __init__(self, columns, units=1, sparse_combiner="sum"):
        super().__init__()
        self.supports_jit = False  # XLA knows no strings
        columns = self._columns = in_order(list(columns))
        self._sparse_combiner = sparse_combiner
        self._state = ColumnState(self.add_weight)
        self.kernels = {}
        for column in columns:
            is_dense = not hasattr(column, "num_buckets")
            size = column.variable_shape.num_elements() if is_dense else None
            if is_dense:
                column.create_state(self._state)
            self.kernels[column.name] = self.add_weight(
                name=weight_name(column),
                shape=[size or column.num_buckets, units],
                initializer="zeros",
            )
        for number, weight in enumerate(self.kernels.values()):
            setattr(self, f"kernel_{number}", weight)  # for tf.train.Checkpoint
        self.bias = self.add_weight(
            name="bias_weights", shape=[units], initializer="zeros"
        )
        self.built = True

    @property
    def tables(self):
        """The tables of the columns' vocabularies, a list; an export has to hold them."""
        return self._state.tables

    def call(self, features):
        batch = ColumnBatch(features)
        sums = [self._sum(column, batch) for column in self._columns]
        return tf.nn.bias_add(tf.add_n(sums), trained_variable(self.bias))

    def _sum(self, column, batch):
        kernel = trained_variable(self.kernels[column.name])
        if not hasattr(column, "num_buckets"):
            dense = column.get_dense_tensor(batch, self._state)
            return tf.matmul(tf.reshape(dense, [-1, kernel.shape[0]]), kernel)
        values = column.get_sparse_tensors(batch, self._state)
        ids, weights = values.id_tensor, values.weight_tensor
        rows = tf.shape(ids, tf.int64)[0]
        return tf.nn.safe_embedding_lookup_sparse(
            kernel,
            tf.sparse.reshape(ids, [rows, -1]),
            None if weights is None else tf.sparse.reshape(weights, [rows, -1]),
            combiner=self._sparse_combiner,
        )
