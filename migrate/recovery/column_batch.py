"""What feature columns ask of the model that reads its features through them."""

import tensorflow as tf


class ColumnBatch:
    """The features of one batch, each transformed once by the columns that read it.

    Args:
      features: a dict of dense or sparse tensors, [batch] or [batch, ...].
    """

    def __init__(self, features):
        self._features = features
        self._transformed = {}

    def get(self, key, state_manager=None, training=None):
        """Returns a feature by its name, or what a column makes of its own."""
        if key not in self._transformed:
            is_name = isinstance(key, str)
            self._transformed[key] = (
                self._feature(key)
                if is_name
                else key.transform_feature(self, state_manager)
            )
        return self._transformed[key]

    def _feature(self, name):
        if name not in self._features:
            raise ValueError(f"The input has no feature {name!r}.")
        value = self._features[name]
        if value.shape.rank != 1:
            return value
        if isinstance(value, tf.SparseTensor):
            return tf.sparse.expand_dims(value, -1)
        return tf.expand_dims(value, -1)


class ColumnState:
    """The embeddings of feature columns, and the tables of their vocabularies.

    Args:
      add_weight: that of the Keras layer to which the embeddings belong.

    Attributes:
      embeddings: the variables by the names of their columns.
    """

    def __init__(self, add_weight):
        self.embeddings = {}
        self._add_weight = add_weight
        self._resources = {}

    def create_variable(
        self,
        feature_column,
        name,
        shape,
        dtype=None,
        trainable=True,
        use_resource=True,
        initializer=None,
    ):
        self.embeddings[feature_column.name] = self._add_weight(
            name=weight_name(feature_column),
            shape=shape,
            dtype=dtype or "float32",
            trainable=trainable,
            initializer=initializer,
        )

    def get_variable(self, feature_column, name):
        return trained_variable(self.embeddings[feature_column.name])

    def has_resource(self, feature_column, name):
        return (feature_column.name, name) in self._resources

    def add_resource(self, feature_column, name, resource):
        self._resources[feature_column.name, name] = resource

    def get_resource(self, feature_column, name):
        return self._resources[feature_column.name, name]

    @property
    def tables(self):
        """The tables that have been made so far, a list."""
        return list(self._resources.values())


def in_order(columns):
    """Returns feature columns in the Estimator's order, that of their names.

    Raises:
      ValueError: two columns have one name.
    """
    by_name = {column.name: column for column in columns}
    if len(by_name) < len(columns):
        raise ValueError(f"Two feature columns have one name: {sorted(by_name)}")
    return [column for _, column in sorted(by_name.items())]


def weight_name(column):
    """Returns a name for a column's weight; Keras 3 takes no slash in one."""
    return column.name.replace("/", "_")


def trained_variable(weight):
    """Returns the ``tf.Variable`` of a layer's weight, which Keras 3 wraps."""
    return weight if isinstance(weight, tf.Variable) else weight.value


def example_batch(columns):
    """Returns features of one example without missing values, to build a model with.

    Args:
      columns: the feature columns of the model.
    """
    features = {}
    for column in columns:
        for name, kind in column.parse_example_spec.items():
            shape = getattr(kind, "shape", None)
            if shape is None and name in features:
                continue  # read as a number too, which settles its shape
            value = "?" if kind.dtype == tf.string else int(kind.dtype.is_floating)
            features[name] = tf.fill(
                [1, *(shape or (1,))], tf.constant(value, kind.dtype)
            )
    return features
