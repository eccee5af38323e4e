"""The deep estimators of ``tf.contrib.learn``, with its names of variables and metrics."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .contrib_layer_functions import fully_connected
from .contrib_optimize_loss import optimize_loss
from .learn_estimator import LearnEstimator, ModelFnOps

_LEARNING_RATE = 0.05
_THRESHOLD = 0.5
_ACTIVATIONS = {"relu": tf.nn.relu, "tanh": tf.nn.tanh, "sigmoid": tf.nn.sigmoid}


class _LearnDNN(LearnEstimator):
    def predict(
        self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True
    ):
        """Predicts; without outputs the plainest alone. See ``LearnEstimator.predict``."""
        if not outputs:
            return self._plainest(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def _only(self, key, x, input_fn, batch_size, as_iterable):
        found = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return (one[key] for one in found) if as_iterable else found[key]


class LearnDNNClassifier(_LearnDNN):
    """A classifier, as ``tf.contrib.learn.DNNClassifier``.

    Args:
      hidden_units: the widths of the hidden layers, a list of ints.
      feature_columns: columns of ``tf.feature_column``.
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      n_classes: an int.
      weight_column_name: the feature with the weights of the examples, or None.
      optimizer: the name of one, a ``tf.compat.v1.train.Optimizer``, or a function that
        returns it; None for Adagrad.
      activation_fn: of the hidden layers, or "relu", "tanh", "sigmoid".
      dropout: the part of the units that a training step leaves out, or None.
      gradient_clip_norm: the largest global norm of the gradients, or None.
      config: a ``RunConfig``.
      feature_engineering_fn: as for ``LearnEstimator``.

    Raises:
      ValueError: there are less than two classes.
    """

    def __init__(
        self,
        hidden_units,
        feature_columns,
        model_dir=None,
        n_classes=2,
        weight_column_name=None,
        optimizer=None,
        activation_fn=tf.nn.relu,
        dropout=None,
        gradient_clip_norm=None,
        *,
        config=None,
        feature_engineering_fn=None,
    ):
        if n_classes < 2:
            raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
        head = _Binary() if n_classes == 2 else _MultiClass(n_classes)
        network = _network(hidden_units, feature_columns, activation_fn, dropout)
        model_fn = _model_fn(
            head, network, weight_column_name, optimizer, gradient_clip_norm
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)

    def predict_classes(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """Predicts the class of each example, an int."""
        found = self._only("classes", x, input_fn, batch_size, as_iterable)
        return found if as_iterable else found.reshape(-1)

    def predict_proba(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """Predicts the probabilities of the classes."""
        return self._only("probabilities", x, input_fn, batch_size, as_iterable)

    def _plainest(self, *given):
        return self.predict_classes(*given)


class LearnDNNRegressor(_LearnDNN):
    """A regressor, as ``tf.contrib.learn.DNNRegressor``.

    Args:
      hidden_units, feature_columns, model_dir, weight_column_name, optimizer,
      activation_fn, dropout, gradient_clip_norm, config, feature_engineering_fn: as for
        ``LearnDNNClassifier``.
      label_dimension: how many numbers a label has.
    """

    def __init__(
        self,
        hidden_units,
        feature_columns,
        model_dir=None,
        weight_column_name=None,
        optimizer=None,
        activation_fn=tf.nn.relu,
        dropout=None,
        gradient_clip_norm=None,
        *,
        config=None,
        feature_engineering_fn=None,
        label_dimension=1,
    ):
        network = _network(hidden_units, feature_columns, activation_fn, dropout)
        model_fn = _model_fn(
            _Regression(label_dimension),
            network,
            weight_column_name,
            optimizer,
            gradient_clip_norm,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)

    def predict_scores(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
        """Predicts the numbers of each example."""
        return self._only("scores", x, input_fn, batch_size, as_iterable)

    def _plainest(self, *given):
        return self.predict_scores(*given)


def _network(hidden_units, feature_columns, activation_fn, dropout):
    columns = list(feature_columns or ())
    if isinstance(activation_fn, str):
        activation_fn = _ACTIVATIONS[activation_fn]

    def network(features, units, mode):
        with tf1.variable_scope("input_from_feature_columns"):
            net = tf1.feature_column.input_layer(features, columns)
        for number, width in enumerate(hidden_units):
            with tf1.variable_scope(f"hiddenlayer_{number}") as scope:
                net = fully_connected(net, width, activation_fn, scope=scope)
                if dropout is not None and mode == "train":
                    net = tf1.nn.dropout(net, rate=dropout)
            _summarize_layer(net, scope.name)
        with tf1.variable_scope("logits") as scope:
            logits = fully_connected(net, units, None, scope=scope)
        _summarize_layer(logits, scope.name)
        return logits

    return network


def _summarize_layer(value, name):
    zeros = tf1.nn.zero_fraction(value)
    tf1.summary.scalar(f"{name}_fraction_of_zero_values", zeros)
    tf1.summary.histogram(f"{name}_activation", value)


def _model_fn(head, network, weight_column, optimizer, clip):
    def model_fn(features, labels, mode, config):
        if not isinstance(features, dict):
            features = {"": features}
        # Partitioned even where one part is all: so are the names of the slots.
        parts = tf1.min_max_variable_partitioner(config.num_ps_replicas)
        values = tuple(features.values())
        with tf1.variable_scope("dnn", values=values, partitioner=parts):
            logits = network(features, head.dimension, mode)
            with tf1.variable_scope(None, head.scope):
                weights = _weights(features, weight_column)
                return _ops(head, mode, logits, labels, weights, optimizer, clip)

    return model_fn


def _weights(features, name):
    if not name:
        return None
    weights = tf.cast(features[name], tf.float32)
    return tf.reshape(weights, [-1, 1]) if weights.shape.rank == 1 else weights


def _ops(head, mode, logits, labels, weights, optimizer, clip):
    predictions = head.predictions(logits)
    if mode == "infer" or labels is None:
        return ModelFnOps(mode, predictions)
    losses = head.losses(labels, logits)
    loss = average = tf.reduce_mean(losses)
    if weights is not None:
        if weights.shape.rank != losses.shape.rank:
            raise ValueError("The labels need a second dimension, as the weights have.")
        weighted = losses * weights
        loss = tf.reduce_mean(weighted)
        average = tf.reduce_sum(weighted) / tf.reduce_sum(weights)
    with tf1.name_scope(""):
        tf1.summary.scalar("loss", average)
    step = None
    if mode == "train":
        made = optimizer() if callable(optimizer) else optimizer or "Adagrad"
        options = {"clip_gradients": clip, "name": "dnn", "summaries": ()}
        with tf1.name_scope(None, "train_op"):
            counter = tf1.train.get_global_step()
            step = optimize_loss(loss, counter, _LEARNING_RATE, made, **options)
    metrics = head.metrics(predictions, labels, weights)
    metrics["loss"] = tf1.metrics.mean(average)
    return ModelFnOps(mode, predictions, loss, step, metrics)


def _in_two_dimensions(labels):
    return tf.expand_dims(labels, 1) if labels.shape.rank == 1 else labels


class _Regression:
    scope = "regression_head"

    def __init__(self, dimension):
        self.dimension = dimension

    def predictions(self, logits):
        return {"scores": tf.squeeze(logits, [1]) if self.dimension == 1 else logits}

    def losses(self, labels, logits):
        labels = tf.cast(_in_two_dimensions(labels), tf.float32)
        logits.shape.assert_is_compatible_with(labels.shape)
        return tf.math.squared_difference(logits, labels)

    def metrics(self, predictions, labels, weights):
        return {}


class _MultiClass:
    scope = "multi_class_head"

    def __init__(self, dimension):
        self.dimension = dimension

    def predictions(self, logits):
        return {
            "logits": logits,
            "probabilities": tf.nn.softmax(logits),
            "classes": tf.argmax(logits, 1),
        }

    def losses(self, labels, logits):
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer: {labels.dtype}.")
        one = tf.squeeze(labels, [1]) if labels.shape.rank == 2 else labels
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(one, logits)
        return tf.expand_dims(losses, 1) if labels.shape.rank == 2 else losses

    def metrics(self, predictions, labels, weights):
        classes = predictions["classes"]
        return {"accuracy": tf1.metrics.accuracy(labels, classes, weights)}


class _Binary:
    scope, dimension = "binary_logistic_head", 1

    def predictions(self, logits):
        of_both = tf.concat([tf.zeros_like(logits), logits], 1)
        return {
            "logits": logits,
            "logistic": tf.sigmoid(logits),
            "probabilities": tf.nn.softmax(of_both),
            "classes": tf.argmax(of_both, 1),
        }

    def losses(self, labels, logits):
        labels = _in_two_dimensions(tf.cast(labels, tf.float32))
        return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)

    def metrics(self, predictions, labels, weights):
        of, chance, mean = (
            tf1.metrics,
            predictions["logistic"],
            "%s/positive_threshold_%f_mean",
        )
        numbers = tf.cast(labels, tf.float32)
        flags = tf.cast(labels, tf.bool)
        above = tf.cast(chance >= _THRESHOLD, tf.float32)
        found = {
            "accuracy": of.accuracy(labels, predictions["classes"], weights),
            "labels/prediction_mean": of.mean(chance, weights),
            "labels/actual_label_mean": of.mean(numbers, weights),
            "accuracy/baseline_label_mean": of.mean(numbers, weights),
            "auc": of.auc(flags, chance, weights),
            "auc_precision_recall": of.auc(flags, chance, weights, curve="PR"),
            f"accuracy/threshold_{_THRESHOLD:f}_mean": of.accuracy(
                labels, above, weights
            ),
        }
        for name in ("precision", "recall"):
            at = getattr(of, f"{name}_at_thresholds")
            pair = at(labels, chance, [_THRESHOLD], weights)
            found[mean % (name, _THRESHOLD)] = tuple(tf.squeeze(one) for one in pair)
        return found
