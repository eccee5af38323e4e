"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .premade_base import (
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
    PremadeEstimator,
)
from .premade_combined import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
)
from .premade_dnn import DNNClassifier, DNNEstimator, DNNRegressor
from .premade_linear import LinearClassifier, LinearEstimator, LinearRegressor
