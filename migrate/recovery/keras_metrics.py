"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .keras_predictions import predict_classes, predict_outputs, predict_values
from .keras_premade_metrics import (
    AccuracyBaseline,
    OfProbabilities,
    two_class_metrics,
    value_metrics,
)
