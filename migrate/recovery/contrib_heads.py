"""The heads of ``tf.contrib.estimator``, and those that model_fns took by private names."""

from .export_outputs import PredictOutput
from .heads import CannedClasses, CannedRegression, check_not_given
from .keras_heads import (
    BinaryClassHead,
    LogisticRegressionHead,
    MultiClassHead,
    PoissonRegressionHead,
    RegressionHead,
)
from .multi_heads import MultiHead, MultiLabelHead


def binary_logistic_or_multi_class_head(
    n_classes, weight_column, label_vocabulary, loss_reduction
):
    """Returns the head of ``tf.compat.v1.estimator.DNNClassifier``."""
    return CannedClasses(
        n_classes,
        label_vocabulary,
        weight_column=weight_column,
        loss_reduction=loss_reduction,
    )


def binary_logistic_head(
    weight_column=None,
    thresholds=None,
    label_vocabulary=None,
    loss_reduction="weighted_sum",
    **others,
):
    """Returns the head for two classes of ``tf.compat.v1.estimator``."""
    check_not_given(thresholds=thresholds, **others)
    return binary_logistic_or_multi_class_head(
        2, weight_column, label_vocabulary, loss_reduction
    )


def softmax_cross_entropy_head(
    n_classes,
    weight_column=None,
    label_vocabulary=None,
    loss_reduction="weighted_sum",
    **others,
):
    """Returns the head for more than two classes of ``tf.compat.v1.estimator``."""
    check_not_given(**others)
    if n_classes < 3:
        raise ValueError(f"n_classes must be > 2: {n_classes}.")
    return binary_logistic_or_multi_class_head(
        n_classes, weight_column, label_vocabulary, loss_reduction
    )


def squared_error_head(
    weight_column=None, label_dimension=1, loss_reduction="weighted_sum", **others
):
    """Returns the head for numbers of ``tf.compat.v1.estimator``."""
    check_not_given(**others)
    return CannedRegression(
        label_dimension, weight_column=weight_column, loss_reduction=loss_reduction
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
