"""The heads of ``tf.contrib.estimator``."""

from ..estimator.export_outputs import PredictOutput
from ..premade.multi_heads import MultiHead, MultiLabelHead
from ..premade.v2_heads import (
    BinaryClassHead,
    LogisticRegressionHead,
    MultiClassHead,
    PoissonRegressionHead,
    RegressionHead,
)


def multi_class_head(n_classes, *arguments, **settings):
    """Returns a ``MultiClassHead``, as ``tf.contrib.estimator.multi_class_head``."""
    return MultiClassHead(n_classes, *arguments, **settings)


def binary_classification_head(*arguments, **settings):
    """Returns a ``BinaryClassHead`` whose area below precision and recall is contrib's."""
    return _BinaryHead(*arguments, **settings)


def regression_head(weight_column=None, label_dimension=1, *arguments, **settings):
    """Returns a ``RegressionHead``, as ``tf.contrib.estimator.regression_head``."""
    return RegressionHead(label_dimension, weight_column, *arguments, **settings)


def poisson_regression_head(
    weight_column=None, label_dimension=1, *arguments, **settings
):
    """Returns a ``PoissonRegressionHead``, by the order of arguments of contrib's."""
    return PoissonRegressionHead(label_dimension, weight_column, *arguments, **settings)


def logistic_regression_head(*arguments, **settings):
    """Returns a ``LogisticRegressionHead``, as contrib's ``logistic_regression_head``."""
    return LogisticRegressionHead(*arguments, **settings)


def multi_label_head(n_classes, *arguments, **settings):
    """Returns a ``MultiLabelHead`` whose area below precision and recall is contrib's."""
    return _LabelsHead(n_classes, *arguments, **settings)


def multi_head(heads, head_weights=None):
    """Returns a ``MultiHead``, as ``tf.contrib.estimator.multi_head``."""
    return MultiHead(heads, head_weights)


class _BinaryHead(BinaryClassHead):
    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self._pr_curve = "trapezoidal"


class _LabelsHead(MultiLabelHead):
    _pr_curve = "trapezoidal"

    def _predictions(self, logits):
        predictions = super()._predictions(logits)
        del predictions["classes"]
        return predictions

    def _outputs(self, predictions):
        outputs = super()._outputs(super()._predictions(predictions["logits"]))
        return {**outputs, "predict": PredictOutput(predictions)}
