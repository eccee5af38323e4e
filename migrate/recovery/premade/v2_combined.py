"""The premade estimators of TensorFlow 2 that add dense layers to a linear model."""

from .combined import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
)
from .v2_base import PremadeEstimatorV2


class DNNLinearCombinedEstimatorV2(PremadeEstimatorV2, DNNLinearCombinedEstimator):
    """As ``tf.estimator.DNNLinearCombinedEstimator``; its arguments are those of the base."""


class DNNLinearCombinedClassifierV2(PremadeEstimatorV2, DNNLinearCombinedClassifier):
    """As ``tf.estimator.DNNLinearCombinedClassifier``; its arguments are those of the base."""


class DNNLinearCombinedRegressorV2(PremadeEstimatorV2, DNNLinearCombinedRegressor):
    """As ``tf.estimator.DNNLinearCombinedRegressor``; its arguments are those of the base."""
