# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 0349ec5d8286f712).
"""Feature columns for Keras layers."""

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


class WideAndDeep(tf.keras.Model):
    """Adds up what a wide and a deep part make of the features.

    Args:
      wide: the part that ``wide_optimizer`` trains, a layer or model.
      deep: the part that ``optimizer`` trains.
    """

    def __init__(self, wide, deep):
        super().__init__()
        self.wide, self.deep = wide, deep

    def call(self, features, training=None):
        return self.deep(features, training=training) + self.wide(features)

    def compile(self, optimizer, wide_optimizer, **settings):
        super().compile(optimizer=optimizer, **settings)
        self.wide_optimizer = wide_optimizer
        self.optimizer.build(self.deep.trainable_variables)
        wide_optimizer.build(self.wide.trainable_variables)

    def train_step(self, data):
        features, labels, weights = tf.keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape(persistent=True) as tape:
            logits = self(features, training=True)
            loss = self.compute_loss(features, labels, logits, weights)
        for part, optimizer in (
            (self.deep, self.optimizer),
            (self.wide, self.wide_optimizer),
        ):
            trained = part.trainable_variables
            gradients = tape.gradient(loss, [trained_variable(v) for v in trained])
            optimizer.apply_gradients(zip(gradients, trained))
        for metric in self.metrics:
            if metric.name == "loss":  # Keras 3 leaves this to a train_step
                metric.update_state(loss, sample_weight=tf.shape(logits)[0])
        return self.compute_metrics(features, labels, logits, weights)


class FeatureNetwork(tf.keras.Model):
    """What ``tf.keras.Sequential`` is for one tensor, for a dict of features.

    Of Keras 3's Sequential that is called with a dict, and of layers in a list,
    ``tf.train.Checkpoint`` saves nothing: moving averages would be lost at a restart.
    So each layer is an attribute.

    Args:
      stack: the layers, a list; the first takes the dict.
    """

    def __init__(self, stack):
        super().__init__()
        self.stack = list(stack)
        for number, layer in enumerate(self.stack):
            setattr(self, f"layer_{number}", layer)

    def call(self, features, training=None):
        net = features
        for layer in self.stack:
            net = layer(net)  # Keras hands ``training`` on
        return net


class BiasAlone(tf.keras.layers.Layer):
    """Gives each example the same logits, as the Estimator's baselines do.

    Takes a dict of features and gives [batch, units].

    Args:
      units: how many logits an example has.
    """

    def __init__(self, units=1):
        super().__init__()
        self.bias = self.add_weight(name="bias", shape=[units], initializer="zeros")
        self.built = True

    def call(self, features):
        batch_size = tf.shape(next(iter(features.values())))[0]
        return tf.ones([batch_size, 1]) * self.bias
