"""The premade estimators of TensorFlow 2 with dense layers."""

from .dnn import DNNClassifier, DNNEstimator, DNNRegressor
from .v2_base import PremadeEstimatorV2


class DNNEstimatorV2(PremadeEstimatorV2, DNNEstimator):
    """As ``tf.estimator.DNNEstimator``; its arguments are those of the base."""


class DNNClassifierV2(PremadeEstimatorV2, DNNClassifier):
    """As ``tf.estimator.DNNClassifier``; its arguments are those of the base."""


class DNNRegressorV2(PremadeEstimatorV2, DNNRegressor):
    """As ``tf.estimator.DNNRegressor``; its arguments are those of the base."""
