"""The base of TensorFlow 2's premade estimators, and the Baseline estimators."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .base import (
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
    PremadeEstimator,
)
from .v2_heads import BinaryClassHead, MultiClassHead, RegressionHead
from .v2_optimizers import keras_optimizer


class PremadeEstimatorV2(PremadeEstimator):
    """A base class with the differences from the premade estimators of TensorFlow 1.

    An optimizer is a ``tf.keras`` optimizer, a function that returns one, or its name;
    the first one counts the steps. A loss_reduction is one of
    ``tf.keras.losses.Reduction``.
    """

    _is_partitioned = False

    def _train_op_fn(self, optimizers, is_combined):
        made = {scope: keras_optimizer(*one) for scope, one in optimizers.items()}
        first = next(iter(made))

        def train(loss):
            step = tf1.train.get_global_step()
            return tf.group(
                [
                    one.train_op(
                        loss, tf1.trainable_variables(f"{scope}/"), step, scope == first
                    )
                    for scope, one in made.items()
                ]
            )

        return train

    def _classes(self, n_classes, weight_column, label_vocabulary, loss_reduction):
        settings = label_vocabulary, loss_reduction or "sum_over_batch_size"
        if n_classes == 2:
            return BinaryClassHead(weight_column, None, *settings)
        return MultiClassHead(n_classes, weight_column, *settings)

    def _values(self, label_dimension, weight_column, loss_reduction):
        reduction = loss_reduction or "sum_over_batch_size"
        return RegressionHead(label_dimension, weight_column, reduction)

    def _dnn_rate(self, optimizer):
        return 0.01 if optimizer == "SGD" else 0.001

    def _ftrl(self, learning_rate):
        return tf.keras.optimizers.Ftrl(learning_rate)


class BaselineEstimatorV2(PremadeEstimatorV2, BaselineEstimator):
    """As ``tf.estimator.BaselineEstimator``; its arguments are those of the base."""


class BaselineClassifierV2(PremadeEstimatorV2, BaselineClassifier):
    """As ``tf.estimator.BaselineClassifier``; its arguments are those of the base."""


class BaselineRegressorV2(PremadeEstimatorV2, BaselineRegressor):
    """As ``tf.estimator.BaselineRegressor``; its arguments are those of the base."""
