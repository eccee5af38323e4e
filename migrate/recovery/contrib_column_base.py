"""What all feature columns of ``tf.contrib.layers`` are, and what they read."""

import tensorflow as tf


def _class_of(column, name):
    return next(one for one in type(column).__mro__ if one.__name__ == name)


# What tf.compat.v1.feature_column and the premade estimators take.
DenseColumn = _class_of(tf.feature_column.numeric_column("x"), "_DenseColumn")
CategoricalColumn = _class_of(
    tf.feature_column.categorical_column_with_identity("x", 2), "_CategoricalColumn"
)


class ContribColumn:
    """A column; its ``key`` gives its place among others, as in TensorFlow 1.

    It is one of ``tf.compat.v1.feature_column`` as well, as contrib's were.
    """

    _unsorted = None

    @property
    def key(self):
        """What the columns are sorted by."""
        if self._unsorted is None:
            return repr(self)
        given = zip(self._fields, self)
        shown = [f"{name}={value}" for name, value in given if name != self._unsorted]
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def config(self):
        """What ``tf.io.parse_example`` reads for it, a dict."""
        return self.sparse_id_column.config

    @property
    def _parse_example_spec(self):
        return self.config

    def _transform_feature(self, inputs):
        return self.transformed(inputs)

    @property
    def _variable_shape(self):
        return tf.TensorShape([self.width])

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return self.dense(inputs.get(self))

    @property
    def _num_buckets(self):
        return self.length

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        given = inputs.get(self)
        return CategoricalColumn.IdWeightPair(self.ids(given), self.weights(given))


class TransformedFeatures:
    """What contrib's columns make of the features, each of them once.

    Args:
      features: a dict from names, or from columns, to tensors.
    """

    def __init__(self, features):
        self._known = dict(features)

    def get(self, key):
        """Returns the tensor of a feature's name, or what a column makes of it."""
        if key not in self._known:
            if isinstance(key, str):
                raise ValueError(f"features dictionary doesn't contain key ({key})")
            self._known[key] = key.transformed(self)
        return self._known[key]
