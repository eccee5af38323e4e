"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .keras_epoch_recovery import EpochRecovery
from .keras_step_recovery import (
    CheckpointRecovery,
    directory_beside,
    drop_empty_checkpoint_list,
    has_checkpoint,
)
