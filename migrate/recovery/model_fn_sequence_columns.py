"""The input of recurrent networks from feature columns, as ``tf.contrib`` had it."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python.feature_column import feature_column as columns_of_1
from tensorflow.python.feature_column import feature_column_v2 as columns_of_2


def sequence_input_layer(
    features, feature_columns, weight_collections=None, trainable=True
):
    """Returns a float tensor [batch, time, values], and the length of each sequence.

    Args:
      features: a dict from keys to tensors.
      feature_columns: sequence columns with values, embeddings included.
      weight_collections: the names of further collections for the variables.
      trainable: whether the variables are.

    Raises:
      ValueError: a column has no sequences.
    """
    if not isinstance(feature_columns, (list, tuple, set)):
        feature_columns = [feature_columns]
    for column in feature_columns:
        if not hasattr(column, "get_sequence_dense_tensor"):
            raise ValueError(f"A column without sequences: {column}.")
    outputs, lengths = [], []
    with tf1.variable_scope(None, "sequence_input_layer", features.values()):
        builder = columns_of_1._LazyBuilder(features)
        cache = columns_of_2.FeatureTransformationCache(features)
        for column in sorted(feature_columns, key=lambda column: column.name):
            name = getattr(column, "_var_scope_name", column.name)
            with tf1.variable_scope(None, name):
                if hasattr(column, "_get_sequence_dense_tensor"):
                    output, length = column._get_sequence_dense_tensor(
                        builder, weight_collections, trainable
                    )
                else:  # it has no variables
                    output, length = column.get_sequence_dense_tensor(cache, None)
                shape, values = tf.shape(output), column.variable_shape.num_elements()
                outputs.append(tf.reshape(output, [shape[0], shape[1], values]))
                lengths.append(length)
        same = [tf.debugging.assert_equal(lengths[0], one) for one in lengths[1:]]
        with tf.control_dependencies([one for one in same if one is not None]):
            return tf.concat(outputs, -1), tf.identity(lengths[0])
