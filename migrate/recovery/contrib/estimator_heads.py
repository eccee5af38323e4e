"""The heads of ``tf.contrib.estimator``."""

from ..premade.v2_heads import BinaryClassHead, MultiClassHead, RegressionHead


def multi_class_head(n_classes, *arguments, **settings):
    """Returns a ``MultiClassHead``, as ``tf.contrib.estimator.multi_class_head``."""
    return MultiClassHead(n_classes, *arguments, **settings)


def binary_classification_head(*arguments, **settings):
    """Returns a ``BinaryClassHead`` that computes auc_precision_recall as contrib did."""
    head = BinaryClassHead(*arguments, **settings)
    head._pr_curve = "trapezoidal"
    return head


def regression_head(weight_column=None, label_dimension=1, *arguments, **settings):
    """Returns a ``RegressionHead``, as ``tf.contrib.estimator.regression_head``."""
    return RegressionHead(label_dimension, weight_column, *arguments, **settings)
