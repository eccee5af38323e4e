"""Finds variables of a checkpoint that the program replaces by a number or a tensor (FT517)."""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import key_of, stores_of
from migrate.analysis.values.values import Value
from migrate.rules.rule import Workbench

_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NUMBERS = {
    *("float", "int", "min", "max", "numpy", "result", "item", "reduce_mean", "reduce_sum", "mean", "abs", "round")
}


def replaced_numbers(bench: Workbench, checkpoint: Checkpoint) -> Iterator[tuple[ast.Attribute, str]]:
    """Yields the assignments of numbers, or of values that are compared with ``<``, to attributes of a checkpoint."""
    names = bench.module.names
    orders = [one for one in names.nodes(ast.Compare) if isinstance(one.ops[0], _ORDERS)]
    ordered = {ast.unparse(side) for one in orders for side in (one.left, *one.comparators)}
    for store in (one for one in names.stores if isinstance(one, ast.Attribute)):
        statement = names.parent(store)
        first = checkpoint.parts.get(store.attr)
        if not isinstance(statement, ast.Assign) or first is None or first is statement.value:
            continue
        is_own = bench.checkpoints.checkpoint_in(store.value) is checkpoint
        cases = bench.values.of(bench.module, statement.value) if is_own else []
        is_plain = ast.unparse(statement.value) in ordered and not any(map(_is_trackable, cases))
        if cases and (all(_is_number(case.node) for case in cases) or (is_plain and _is_variable(bench, first))):
            yield store, store.attr


def rebound_variables(bench: Workbench, value: ast.expr) -> Iterator[ast.expr]:
    """Yields the assignments that replace a tracked variable by a tensor: ``step = step + 1``."""
    own, names = key_of(bench.module.names, value), bench.module.names
    for store in stores_of(names, value) if isinstance(value, ast.Name | ast.Attribute) else ():
        statement = names.parent(store)
        sums = ast.walk(statement.value) if isinstance(statement, ast.Assign) else ()
        is_sum = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp)
        if is_sum and any(key_of(names, one) == own for one in sums if isinstance(one, ast.expr)):
            others = [names.parent(one) for one in stores_of(names, value) if one is not store]
            made = [one.value for one in others if isinstance(one, ast.Assign)]
            if made and all(_is_variable(bench, one) for one in made):
                yield store


def _is_variable(bench: Workbench, value: ast.expr) -> bool:
    """Whether a value is a ``tf.Variable`` of a number."""
    cases = [case.node for case in bench.values.of(bench.module, value)]
    made = [one for one in cases if isinstance(one, ast.Call) and name_of(one.func) == "Variable" and one.args]
    return bool(cases) and len(made) == len(cases) and all(_is_number(one.args[0]) for one in made)


def _is_trackable(case: Value) -> bool:
    """Whether a value may be a TensorFlow object that a checkpoint can track."""
    name = name_of(case.node.func) if isinstance(case.node, ast.Call) else ""
    return name[:1].isupper() or "variable" in name.lower() or not isinstance(case.node, ast.expr | ast.arg)


def _is_number(node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and name_of(node.func) in _NUMBERS
    return is_call or isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp)
