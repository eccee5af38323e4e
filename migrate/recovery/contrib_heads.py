"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .canned_heads import (
    binary_logistic_head,
    binary_logistic_or_multi_class_head,
    softmax_cross_entropy_head,
    squared_error_head,
)
from .contrib_estimator_heads import (
    binary_classification_head,
    logistic_regression_head,
    multi_class_head,
    multi_head,
    multi_label_head,
    poisson_regression_head,
    regression_head,
)
