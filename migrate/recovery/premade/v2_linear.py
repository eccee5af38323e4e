"""The premade linear models of TensorFlow 2."""

from .linear import LinearClassifier, LinearEstimator, LinearRegressor
from .v2_base import PremadeEstimatorV2


class LinearEstimatorV2(PremadeEstimatorV2, LinearEstimator):
    """As ``tf.estimator.LinearEstimator``; its arguments are those of the base."""


class LinearClassifierV2(PremadeEstimatorV2, LinearClassifier):
    """As ``tf.estimator.LinearClassifier``; its arguments are those of the base."""


class LinearRegressorV2(PremadeEstimatorV2, LinearRegressor):
    """As ``tf.estimator.LinearRegressor``; its arguments are those of the base."""
