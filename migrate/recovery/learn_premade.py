"""The deep estimators of ``tf.contrib.learn``, with its names of variables and metrics."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .contrib_optimize_loss import optimize_loss
from .learn_heads import (
    LearnClassifier,
    LearnRegressor,
    Regression,
    head_of_classes,
    weighted_ops,
)
from .learn_network import learn_dnn_logits

_LEARNING_RATE = 0.05
_ACTIVATIONS = {"relu": tf.nn.relu, "tanh": tf.nn.tanh, "sigmoid": tf.nn.sigmoid}


class LearnDNNClassifier(LearnClassifier):
    """A classifier, as ``tf.contrib.learn.DNNClassifier``.

    Args:
      hidden_units: the widths of the hidden layers, a list of ints.
      feature_columns: columns of ``tf.feature_column``, or of ``tf.contrib.layers``.
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
        layers = hidden_units, activation_fn, dropout
        model_fn = _model_fn(
            head_of_classes(n_classes),
            feature_columns,
            layers,
            (weight_column_name, optimizer, gradient_clip_norm),
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class LearnDNNRegressor(LearnRegressor):
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
        layers = hidden_units, activation_fn, dropout
        model_fn = _model_fn(
            Regression(label_dimension),
            feature_columns,
            layers,
            (weight_column_name, optimizer, gradient_clip_norm),
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


def _model_fn(head, columns, layers, trained):
    widths, activation_fn, dropout = layers
    weight_column, optimizer, clip = trained
    if isinstance(activation_fn, str):
        activation_fn = _ACTIVATIONS[activation_fn]
    layers = widths, activation_fn, dropout

    def step_of(loss):
        made = optimizer() if callable(optimizer) else optimizer or "Adagrad"
        options = {"clip_gradients": clip, "name": "dnn", "summaries": ()}
        counter = tf1.train.get_global_step()
        return optimize_loss(loss, counter, _LEARNING_RATE, made, **options)

    def model_fn(features, labels, mode, config):
        if not isinstance(features, dict):
            features = {"": features}
        # Partitioned even where one part is all: so are the names of the slots.
        parts = tf1.min_max_variable_partitioner(config.num_ps_replicas)
        values = tuple(features.values())
        with tf1.variable_scope("dnn", values=values, partitioner=parts):
            logits = learn_dnn_logits(
                features, columns, layers, head.dimension, mode, "_"
            )
            return weighted_ops(
                head, mode, logits, labels, features, weight_column, step_of
            )

    return model_fn
