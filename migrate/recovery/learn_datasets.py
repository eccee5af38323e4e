"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .learn_csv import (
    LoadedDataset,
    load_csv_with_header,
    load_csv_without_header,
    maybe_download,
)
from .learn_mnist import (
    MnistDatasets,
    MnistExamples,
    load_dataset,
    load_mnist,
    read_data_sets,
)
