"""The linear and deep estimators of ``tf.contrib.learn``, with its names of variables."""

import math

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
from .learn_linear import learn_linear_logits, linear_partitioner
from .learn_network import learn_dnn_logits, summarize_layer

_DNN_LEARNING_RATE = 0.05
_LINEAR_LEARNING_RATE = 0.2


class LearnDNNLinearCombinedClassifier(LearnClassifier):
    """A classifier, as ``tf.contrib.learn.DNNLinearCombinedClassifier``.

    Where there are both parts, a step counts as two, as in TensorFlow 1.

    Args:
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      n_classes: an int.
      weight_column_name: the feature with the weights of the examples, or None.
      linear_feature_columns: columns of ``tf.feature_column`` or of
        ``tf.contrib.layers``; None for no linear part.
      linear_optimizer, dnn_optimizer: the name of one, a
        ``tf.compat.v1.train.Optimizer``, or a function that returns it; None for Ftrl
        and for Adagrad.
      dnn_feature_columns: likewise; None for no deep part.
      dnn_hidden_units: the widths of the hidden layers, a list of ints.
      dnn_activation_fn: of the hidden layers.
      dnn_dropout: the part of the units that a training step leaves out, or None.
      gradient_clip_norm: the largest global norm of either part's gradients, or None.
      config: a ``RunConfig``.
      feature_engineering_fn: as for ``LearnEstimator``.
      fix_global_step_increment_bug: whether a step counts as one.

    Raises:
      ValueError: there are less than two classes, or no columns.
    """

    def __init__(
        self,
        model_dir=None,
        n_classes=2,
        weight_column_name=None,
        linear_feature_columns=None,
        linear_optimizer=None,
        *,
        dnn_feature_columns=None,
        dnn_optimizer=None,
        dnn_hidden_units=None,
        dnn_activation_fn=tf.nn.relu,
        dnn_dropout=None,
        gradient_clip_norm=None,
        config=None,
        feature_engineering_fn=None,
        fix_global_step_increment_bug=False,
    ):
        model_fn = _combined_model_fn(
            head_of_classes(n_classes),
            weight_column_name,
            (linear_feature_columns, linear_optimizer),
            (dnn_feature_columns, dnn_optimizer),
            (dnn_hidden_units, dnn_activation_fn, dnn_dropout),
            gradient_clip_norm,
            fix_global_step_increment_bug,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class LearnDNNLinearCombinedRegressor(LearnRegressor):
    """A regressor, as ``tf.contrib.learn.DNNLinearCombinedRegressor``.

    Args:
      model_dir, weight_column_name, linear_feature_columns, linear_optimizer,
      dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn,
      dnn_dropout, gradient_clip_norm, config, feature_engineering_fn,
      fix_global_step_increment_bug: as for ``LearnDNNLinearCombinedClassifier``.
      label_dimension: how many numbers a label has.
    """

    def __init__(
        self,
        model_dir=None,
        weight_column_name=None,
        linear_feature_columns=None,
        linear_optimizer=None,
        *,
        dnn_feature_columns=None,
        dnn_optimizer=None,
        dnn_hidden_units=None,
        dnn_activation_fn=tf.nn.relu,
        dnn_dropout=None,
        gradient_clip_norm=None,
        label_dimension=1,
        config=None,
        feature_engineering_fn=None,
        fix_global_step_increment_bug=False,
    ):
        model_fn = _combined_model_fn(
            Regression(label_dimension),
            weight_column_name,
            (linear_feature_columns, linear_optimizer),
            (dnn_feature_columns, dnn_optimizer),
            (dnn_hidden_units, dnn_activation_fn, dnn_dropout),
            gradient_clip_norm,
            fix_global_step_increment_bug,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


def _combined_model_fn(head, weight_column, linear, dnn, layers, clip, counts_one):
    linear_columns, dnn_columns = list(linear[0] or ()), list(dnn[0] or ())
    if not linear_columns and not dnn_columns:
        raise ValueError(
            "Either linear_feature_columns or dnn_feature_columns must be defined."
        )
    widths, activation_fn, dropout = layers
    layers = widths or (), activation_fn or tf.nn.relu, dropout
    linear_rate = 1.0 / math.sqrt(max(len(linear_columns), 1))
    parts = [
        ("dnn", dnn_columns, dnn[1] or "Adagrad", _DNN_LEARNING_RATE),
        (
            "linear",
            linear_columns,
            linear[1] or "Ftrl",
            min(_LINEAR_LEARNING_RATE, linear_rate),
        ),
    ]

    def step_of(loss):
        counter = tf1.train.get_global_step()
        steps = []
        for name, columns, optimizer, rate in parts:
            if columns:
                options = {"clip_gradients": clip, "name": name, "summaries": ()}
                options["variables"] = tf1.trainable_variables(f"{name}/")
                options["increment_global_step"] = not counts_one
                made = optimizer() if callable(optimizer) else optimizer
                steps.append(optimize_loss(loss, counter, rate, made, **options))
        if not counts_one:
            return tf.group(*steps)
        with tf.control_dependencies(steps):
            return tf1.assign_add(counter, 1).op

    def model_fn(features, labels, mode, config):
        if not isinstance(features, dict):
            features = {"": features}
        values, found = tuple(features.values()), []
        if dnn_columns:
            made = tf1.min_max_variable_partitioner(config.num_ps_replicas)
            with tf1.variable_scope("dnn", values=values, partitioner=made):
                units = head.dimension
                found.append(
                    learn_dnn_logits(features, dnn_columns, layers, units, mode, "/")
                )
        if linear_columns:
            made = linear_partitioner(config)
            with tf1.variable_scope("linear", values=values, partitioner=made) as scope:
                found.append(
                    learn_linear_logits(features, linear_columns, head.dimension, scope)
                )
            summarize_layer(found[-1], "linear/")
        logits = found[0] if len(found) == 1 else found[0] + found[1]
        return weighted_ops(
            head, mode, logits, labels, features, weight_column, step_of
        )

    return model_fn
