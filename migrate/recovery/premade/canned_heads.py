"""Heads and optimizers that programs imported from ``tf.estimator``'s private modules."""

import tensorflow.compat.v1 as tf1

from .base import canned_optimizer
from .heads import CannedClassification, CannedRegression, check_not_given


def binary_logistic_or_multi_class_head(
    n_classes, weight_column, label_vocabulary, loss_reduction
):
    """Returns the head of ``tf.compat.v1.estimator.DNNClassifier``."""
    return CannedClassification(
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
    """Returns the head of ``tf.compat.v1.estimator`` for two classes."""
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
    """Returns the head of ``tf.compat.v1.estimator`` for more than two classes."""
    check_not_given(**others)
    if n_classes < 3:
        raise ValueError(f"n_classes must be > 2: {n_classes}.")
    return binary_logistic_or_multi_class_head(
        n_classes, weight_column, label_vocabulary, loss_reduction
    )


def squared_error_head(
    weight_column=None, label_dimension=1, loss_reduction="weighted_sum", **others
):
    """Returns the head of ``tf.compat.v1.estimator`` for regression."""
    check_not_given(**others)
    return CannedRegression(
        label_dimension, weight_column=weight_column, loss_reduction=loss_reduction
    )


def get_optimizer_instance(opt, learning_rate=None):
    """Returns the ``tf.compat.v1.train.Optimizer`` of a premade estimator's argument.

    Args:
      opt: an optimizer, a function that returns one, or its name.
      learning_rate: a float; needed and used only with a name.

    Raises:
      ValueError: the rate is missing, or opt is none of these.
    """
    if isinstance(opt, str) and not learning_rate:
        raise ValueError("learning_rate must be specified when opt is string.")
    optimizer = canned_optimizer(opt, learning_rate)
    if not isinstance(optimizer, tf1.train.Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {opt}")
    return optimizer
