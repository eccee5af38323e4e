"""The premade estimators of TensorFlow 2."""

import tensorflow as tf

from .keras_heads import RegressionHead, classes_head
from .keras_optimizers import canned_keras_train_op, keras_optimizer
from .premade import (
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
    DNNClassifier,
    DNNEstimator,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
    PremadeEstimator,
)


class PremadeEstimatorV2(PremadeEstimator):
    """What premade estimators of TensorFlow 2 have otherwise, and all else is the same.

    Their optimizers are of ``tf.keras``, or functions that make one, or the names of
    such; the first counts the steps. A loss_reduction is one of
    ``tf.keras.losses.Reduction``.
    """

    _loss_reduction = "sum_over_batch_size"
    _is_partitioned = False

    def _training(self, optimizers, is_combined):
        made = {scope: keras_optimizer(*one) for scope, one in optimizers.items()}
        return lambda loss: canned_keras_train_op(loss, made)

    def _classes(self, n_classes, weight_column, label_vocabulary, loss_reduction):
        reduction = loss_reduction or self._loss_reduction
        return classes_head(n_classes, weight_column, label_vocabulary, reduction)

    def _values(self, label_dimension, weight_column, loss_reduction):
        reduction = loss_reduction or self._loss_reduction
        return RegressionHead(label_dimension, weight_column, reduction)

    def _dnn_rate(self, optimizer):
        return 0.01 if optimizer == "SGD" else 0.001

    def _ftrl(self, learning_rate):
        return tf.keras.optimizers.Ftrl(learning_rate)


def _of_2(kind):
    """Returns the estimator of TensorFlow 2 that one of TensorFlow 1 became."""
    name = f"{kind.__name__}V2"
    about = f"As ``tf.estimator.{kind.__name__}``; its arguments are those of the base."
    return type(
        name,
        (PremadeEstimatorV2, kind),
        {"__doc__": about, "__module__": __name__},
    )


BaselineEstimatorV2 = _of_2(BaselineEstimator)
BaselineClassifierV2 = _of_2(BaselineClassifier)
BaselineRegressorV2 = _of_2(BaselineRegressor)
DNNEstimatorV2 = _of_2(DNNEstimator)
DNNClassifierV2 = _of_2(DNNClassifier)
DNNRegressorV2 = _of_2(DNNRegressor)
LinearEstimatorV2 = _of_2(LinearEstimator)
LinearClassifierV2 = _of_2(LinearClassifier)
LinearRegressorV2 = _of_2(LinearRegressor)
DNNLinearCombinedEstimatorV2 = _of_2(DNNLinearCombinedEstimator)
DNNLinearCombinedClassifierV2 = _of_2(DNNLinearCombinedClassifier)
DNNLinearCombinedRegressorV2 = _of_2(DNNLinearCombinedRegressor)
