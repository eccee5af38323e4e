"""Feature columns as ``tf.contrib`` had them, and the input of recurrent networks from them."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


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
        transformed = _TransformedFeatures(features)
        for column in sorted(feature_columns, key=lambda column: column.name):
            name = getattr(column, "_var_scope_name", column.name)
            with tf1.variable_scope(None, name):
                if hasattr(column, "_get_sequence_dense_tensor"):
                    output, length = column._get_sequence_dense_tensor(
                        transformed, weight_collections, trainable
                    )
                else:  # it has no variables
                    output, length = column.get_sequence_dense_tensor(transformed, None)
                shape, values = tf.shape(output), column.variable_shape.num_elements()
                outputs.append(tf.reshape(output, [shape[0], shape[1], values]))
                lengths.append(length)
        same = [tf.debugging.assert_equal(lengths[0], one) for one in lengths[1:]]
        with tf.control_dependencies([one for one in same if one is not None]):
            return tf.concat(outputs, -1), tf.identity(lengths[0])


class _TransformedFeatures:
    """What columns make of the features, each of them once."""

    def __init__(self, features):
        self._features, self._known = features, {}

    def get(self, key, state_manager=None, training=None):
        """Returns the tensor of a feature by its name, or what a column makes of it."""
        if key not in self._known:
            if isinstance(key, str):
                self._known[key] = _with_two_dimensions(self._features[key])
            elif hasattr(key, "_transform_feature"):
                self._known[key] = key._transform_feature(self)
            else:
                self._known[key] = key.transform_feature(self, state_manager)
        return self._known[key]


def _with_two_dimensions(feature):
    if isinstance(feature, (tf.SparseTensor, tf1.SparseTensorValue)):
        feature = tf.SparseTensor.from_value(feature)
        return (
            tf.sparse.expand_dims(feature, -1) if feature.shape.rank == 1 else feature
        )
    feature = tf.convert_to_tensor(feature)
    return tf.expand_dims(feature, -1) if feature.shape.rank == 1 else feature
