"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .best_exporter import BestExporter, BestResult, loss_smaller
from .exporter import Exporter
from .model_exporters import (
    FinalExporter,
    LatestExporter,
    SavedModelExporter,
    keep_newest_exports,
)
