"""Datasets of tf.contrib.data that are asked for what only they had (FT138)."""

import ast

from migrate.analysis.source.module import Module
from migrate.rules.names.contrib_rows import DATASET


def has_old_calls(module: Module) -> bool:
    """Whether a dataset of contrib, which ended with TensorFlow 1.4, may be asked for what only it had."""
    calls = (module.names.parent(node) for node in module.names.nodes(ast.keyword) if node.arg in _OF_OLD_MAP)
    maps = (call.func for call in calls if isinstance(call, ast.Call))
    is_map = any(isinstance(func, ast.Attribute) and func.attr == "map" for func in maps)
    return is_map or not _OLD_METHODS.isdisjoint(module.names.attributes)


DATASETS = (DATASET, "data.FixedLengthRecordDataset", "data.TFRecordDataset", "data.TextLineDataset")


HELP = (
    "Write map's num_threads as num_parallel_calls, and d.group_by_window(…) as "
    "d.apply(tf.data.experimental.group_by_window(…)); then migrate again."
)


_OF_OLD_MAP = {"num_threads", "output_buffer_size"}


_OLD_METHODS = {"dense_to_sparse_batch", "group_by_window", "ignore_errors"}
"""Methods that ``tf.compat.v1.data.Dataset`` lacks, or that give another class there."""
