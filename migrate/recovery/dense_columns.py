"""Dense feature columns as the first layer of a Keras model."""

import tensorflow as tf

from migrate.recovery.column_batch import ColumnBatch, ColumnState, in_order


class DenseColumns(tf.keras.layers.Layer):
    """Reads features through their columns, as the Estimator's networks do.

    Takes a dict of features and gives [batch, sum of the columns' sizes].

    Args:
      columns: numeric, bucketized, indicator and embedding columns of
        ``tf.feature_column``.

    Attributes:
      embeddings: the weights by the names of their columns.
    """

    def __init__(self, columns):
        super().__init__()
        self.supports_jit = False  # XLA knows no strings
        columns = self._columns = in_order(list(columns))
        self._state = ColumnState(self.add_weight)
        for column in columns:
            column.create_state(self._state)
        self.embeddings = self._state.embeddings
        for number, weight in enumerate(self.embeddings.values()):
            setattr(self, f"embedding_{number}", weight)  # for tf.train.Checkpoint
        self.built = True

    @property
    def tables(self):
        """The tables of the columns' vocabularies, a list; an export has to hold them."""
        return self._state.tables

    def call(self, features):
        batch, parts = ColumnBatch(features), []
        for column in self._columns:
            size = column.variable_shape.num_elements()
            dense = column.get_dense_tensor(batch, self._state)
            parts.append(tf.reshape(dense, [-1, size]))
        return tf.concat(parts, 1)
