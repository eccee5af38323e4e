"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .contrib_optimize_loss import optimize_loss
from .contrib_weight_decay import (
    AdamWOptimizer,
    LazyAdamOptimizer,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)
from .contrib_wrapped_optimizers import WrappedOptimizer, clip_gradients_by_norm
