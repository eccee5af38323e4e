"""Expressions that are seen to be None, however the program runs."""

import ast

from migrate.analysis.arguments import is_none
from migrate.analysis.callers import given_for
from migrate.analysis.module import Module
from migrate.analysis.names import Binding
from migrate.analysis.tree import Tree
from migrate.analysis.uses import Hidden

_MOST = 10
"""Names that stand for one another may do so in a circle."""


def is_seen_none(tree: Tree, module: Module, value: ast.expr | None, depth: int = 0) -> bool:
    """Whether a value is None: written so, or assigned so wherever that can run, or given so by every caller.

    Args:
      tree: the files around the module.
      module: where the expression stands.
      value: the expression; None for an argument that is missing.
      depth: how many names have been followed.
    """
    if is_none(value):
        return True
    if isinstance(value, ast.IfExp):
        known = _truth(tree, module, value.test, depth)
        ways = [value.body] if known else [value.orelse] if known is False else [value.body, value.orelse]
        return all(is_seen_none(tree, module, way, depth) for way in ways)
    if not isinstance(value, ast.Name) or depth > _MOST:
        return False
    found = module.names.scope_of(value).lookup(value.id)
    return found is not None and all(_binds_none(tree, module, value.id, one, depth + 1) for one in found[1])


def _binds_none(tree: Tree, module: Module, name: str, binding: Binding, depth: int) -> bool:
    if isinstance(binding.node, ast.arg):
        return _is_given_none(tree, module, binding.node, depth)
    if not isinstance(binding.node, ast.stmt) or binding.value is None:
        return False
    return _never_runs(tree, module, binding.node, depth) or is_seen_none(tree, module, binding.value, depth)


def _never_runs(tree: Tree, module: Module, statement: ast.stmt, depth: int) -> bool:
    """Whether a statement stands under an ``if`` whose condition is seen to lead elsewhere."""
    inner: ast.AST = statement
    for around in module.names.ancestors(statement):
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return False
        if isinstance(around, ast.If):
            known = _truth(tree, module, around.test, depth)
            if (known is False and inner in around.body) or (known is True and inner in around.orelse):
                return True
        inner = around
    return False


def _truth(tree: Tree, module: Module, test: ast.expr, depth: int) -> bool | None:
    """What a condition on None comes to; None where that is not seen."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(tree, module, test.operand, depth)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and is_none(test.comparators[0]):
        seen = is_seen_none(tree, module, test.left, depth + 1)
        return isinstance(test.ops[0], ast.Is) if seen and isinstance(test.ops[0], ast.Is | ast.IsNot) else None
    return False if is_seen_none(tree, module, test, depth + 1) else None


def _is_given_none(tree: Tree, module: Module, parameter: ast.arg, depth: int) -> bool:
    """Whether every caller of a parameter's function gives None for it, or leaves it at None."""
    try:
        given = given_for(tree, module, parameter)
    except Hidden:
        return False
    return all(is_seen_none(tree, where, value, depth) for where, value in given)
