"""The heads that ``tf.contrib.estimator`` had."""

from migrate.recovery.estimator_heads import (
    BinaryClassHead,
    MultiClassHead,
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


class _BinaryHead(BinaryClassHead):
    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self._pr_curve = "trapezoidal"
