"""The linear estimators of ``tf.contrib.learn``, with its names of variables and metrics."""

import math

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .contrib_column_layers import are_of_contrib, weighted_sum_from_feature_columns
from .contrib_optimize_loss import optimizer_of
from .learn_heads import (
    LearnClassifier,
    LearnRegressor,
    Regression,
    head_of_classes,
    weighted_ops,
)

_LINEAR_RATE = 0.2


class LearnLinearClassifier(LearnClassifier):
    """A classifier, as ``tf.contrib.learn.LinearClassifier``.

    Args:
      feature_columns: columns of ``tf.feature_column`` or of ``tf.contrib.layers``.
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      n_classes: an int.
      weight_column_name: the feature with the weights of the examples, or None.
      optimizer: the name of one, a ``tf.compat.v1.train.Optimizer``, or a function that
        returns it; None for Ftrl.
      gradient_clip_norm: the largest global norm of the gradients, or None.
      config: a ``RunConfig``.
      feature_engineering_fn: as for ``LearnEstimator``.

    Raises:
      ValueError: there are less than two classes, or no columns.
    """

    def __init__(
        self,
        feature_columns,
        model_dir=None,
        n_classes=2,
        weight_column_name=None,
        optimizer=None,
        gradient_clip_norm=None,
        *,
        config=None,
        feature_engineering_fn=None,
    ):
        head = head_of_classes(n_classes)
        model_fn = _linear_model_fn(
            head, feature_columns, weight_column_name, optimizer, gradient_clip_norm
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class LearnLinearRegressor(LearnRegressor):
    """A regressor, as ``tf.contrib.learn.LinearRegressor``.

    Args:
      feature_columns, model_dir, weight_column_name, optimizer, gradient_clip_norm,
      config, feature_engineering_fn: as for ``LearnLinearClassifier``.
      label_dimension: how many numbers a label has.
    """

    def __init__(
        self,
        feature_columns,
        model_dir=None,
        weight_column_name=None,
        optimizer=None,
        gradient_clip_norm=None,
        *,
        label_dimension=1,
        config=None,
        feature_engineering_fn=None,
    ):
        head = Regression(label_dimension)
        model_fn = _linear_model_fn(
            head, feature_columns, weight_column_name, optimizer, gradient_clip_norm
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


def learn_linear_logits(features, columns, units, scope):
    """Returns the outputs of a linear model, whose variables are in ``linear``.

    Args:
      features: a dict from names to tensors.
      columns: of ``tf.feature_column``, or of ``tf.contrib.layers``.
      units: how many outputs an example has.
      scope: the variables' scope, which is open.
    """
    given = list(columns)
    if not are_of_contrib(given):
        return tf1.feature_column.linear_model(features, given, units)
    return weighted_sum_from_feature_columns(features, given, units, scope=scope)[0]


def linear_partitioner(config):
    """Returns the partitioner of a linear model's variables."""
    # Partitioned even where one part is all: so are the names of the slots.
    return tf1.min_max_variable_partitioner(
        config.num_ps_replicas, min_slice_size=64 << 20
    )


def _linear_model_fn(head, columns, weight_column, optimizer, clip):
    columns = list(columns or ())
    if not columns:
        raise ValueError("feature_columns must not be empty.")

    def step_of(loss):
        variables = tf1.trainable_variables("linear/")
        gradients = tf.gradients(loss, variables)
        if clip:
            gradients, _ = tf.clip_by_global_norm(gradients, clip)
        rate = min(_LINEAR_RATE, 1.0 / math.sqrt(len(columns)))
        made = optimizer or tf1.train.FtrlOptimizer(rate)
        if isinstance(made, str):
            made = optimizer_of(made, _LINEAR_RATE)
        elif callable(made):
            made = made()
        counter = tf1.train.get_global_step()
        return made.apply_gradients(zip(gradients, variables), counter)

    def model_fn(features, labels, mode, config):
        if not isinstance(features, dict):
            features = {"": features}
        parts = linear_partitioner(config)
        values = tuple(features.values())
        with tf1.variable_scope("linear", values=values, partitioner=parts) as scope:
            logits = learn_linear_logits(features, columns, head.dimension, scope)
            return weighted_ops(
                head, mode, logits, labels, features, weight_column, step_of
            )

    return model_fn
