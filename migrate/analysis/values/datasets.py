"""Whether an expression is a ``tf.data.Dataset``."""

import ast

from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.values import End, Values


def is_dataset(values: Values, module: Module, node: ast.expr, only_in: Module | None = None) -> bool:
    """Whether all that an expression may be is a Dataset, or comes of the methods of one.

    Args:
      only_in: the file in which the Datasets have to be made; any file by default.
    """
    return _is_dataset(values, End(module, node), only_in, set())


def _is_dataset(values: Values, asked: End, only_in: Module | None, seen: set[ast.AST]) -> bool:
    assert isinstance(asked.node, ast.expr)
    ends = values.ends(asked.module, asked.node)
    return all((only_in is None or one.module is only_in) and _makes(values, one, only_in, seen) for one in ends)


def _makes(values: Values, end: End, only_in: Module | None, seen: set[ast.AST]) -> bool:
    node = end.node
    if node in seen:  # `dataset = dataset.batch(8)` says nothing new: what it began as counts
        return True
    seen.add(node)
    if isinstance(node, ast.Subscript):
        return all(_loads(one, has_split=False) for one in values.ends(end.module, node.value))
    if not isinstance(node, ast.Call) or _loads(end, has_split=True):
        return isinstance(node, ast.Call)
    found = symbol_of(end.module.names, node.func)
    if found is not None:
        return found.tail.startswith("data.") and "iterator" not in found.tail.lower()
    if not isinstance(node.func, ast.Attribute) or "iterator" in node.func.attr or node.func.attr == "get_next":
        return False
    return _is_dataset(values, End(end.module, node.func.value), only_in, seen)


def _loads(end: End, *, has_split: bool) -> bool:
    """Whether an expression is a Dataset of TensorFlow Datasets, or without a split a dict of them."""
    value, names = end.node, end.module.names
    if not isinstance(value, ast.Call) or names.qualified(value.func) != "tensorflow_datasets.load":
        return False
    given = {keyword.arg: keyword.value for keyword in value.keywords}
    if len(value.args) > 1 or None in given or not given.keys().isdisjoint({"with_info", "batch_size"}):
        return False
    split = given.get("split")
    if not has_split:
        return split is None
    split = split and names.value(split)
    return isinstance(split, ast.Attribute) or (isinstance(split, ast.Constant) and isinstance(split.value, str))
