"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .premade_v2_base import (
    BaselineClassifierV2,
    BaselineEstimatorV2,
    BaselineRegressorV2,
    PremadeEstimatorV2,
)
from .premade_v2_combined import (
    DNNLinearCombinedClassifierV2,
    DNNLinearCombinedEstimatorV2,
    DNNLinearCombinedRegressorV2,
)
from .premade_v2_dnn import DNNClassifierV2, DNNEstimatorV2, DNNRegressorV2
from .premade_v2_linear import LinearClassifierV2, LinearEstimatorV2, LinearRegressorV2
