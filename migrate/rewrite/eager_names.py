"""Names of TensorFlow 1 that work in eager code as they did, under ``tf.compat.v1``."""

import ast

from migrate.analysis.module import Module
from migrate.rewrite.vocabulary import Vocabulary

_MODULES = ("app.", "flags.", "gfile.", "logging.")
_NAMES = {
    "FixedLenFeature", "VarLenFeature", "decode_csv", "decode_raw", "log", "parse_example", "parse_single_example",
    "random_normal", "random_uniform", "read_file", "set_random_seed", "string_split", "string_to_number", "to_float",
    "to_int32", "to_int64", "truncated_normal",
}  # fmt: skip


def eager_names(module: Module, vocabulary: Vocabulary) -> dict[ast.expr, str]:
    """What stands for each name of TensorFlow 1 in a file that TensorFlow 2 has under ``tf.compat.v1`` alone."""
    return {
        node: f"{vocabulary.v1(becomes_v1=False)}.{found.tail}"
        for node, found in module.tf1_only
        if isinstance(node, ast.Attribute)
        and not found.is_contrib
        and (found.tail in _NAMES or f"{found.tail}.".startswith(_MODULES))
    }
