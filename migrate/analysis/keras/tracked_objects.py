"""The keyword arguments of a call, including those of ``**``, which are the objects that a checkpoint tracks."""

import ast

from migrate.analysis.calls.reach import FunctionNode, Reach
from migrate.analysis.source.module import Module
from migrate.analysis.values.items import literal_items
from migrate.analysis.values.values import Values

_DICT_CHANGES = {"update", "pop", "setdefault", "clear", "popitem"}


def keyword_arguments(reach: Reach, values: Values, module: Module, call: ast.Call) -> tuple[dict[str, ast.expr], bool]:
    """Returns the known keyword arguments of a call, and whether they are all."""
    found, is_whole = dict[str, ast.expr](), True
    for keyword in call.keywords:
        if keyword.arg is not None:
            found[keyword.arg] = keyword.value
            continue
        held = _items_of_dictionary(reach, values, module, keyword.value)
        found |= held or {}
        is_whole &= held is not None
    return found, is_whole


def _items_of_dictionary(reach: Reach, values: Values, module: Module, value: ast.expr) -> dict[str, ast.expr] | None:
    """Returns the items of a dictionary, or of ``**objects`` with a single caller; None if they are unknown."""
    if _is_changed(module, value):
        return None
    cases = values.of(module, value)
    final = cases[0].node if len(cases) == 1 and cases[0].module is module else None
    function = module.names.scope_of(final).node if isinstance(final, ast.arg) else None
    if isinstance(function, FunctionNode) and function.args.kwarg is final:
        calls = [one for one in reach.callers(function, module) if reach.module_of(one) is module]
        named = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
        given, is_whole = keyword_arguments(reach, values, module, calls[0]) if len(calls) == 1 else ({}, False)
        return {name: one for name, one in given.items() if name not in named} if is_whole else None
    items = literal_items(module, final) if isinstance(final, ast.expr) else None
    return {str(name): one for name, one in items} if items and all(isinstance(n, str) for n, _ in items) else None


def _is_changed(module: Module, value: ast.expr) -> bool:
    """Whether items of a variable's dictionary are set or removed after its creation."""
    for use in module.names.reads_of(value):
        parent = module.names.parent(use)
        is_set = isinstance(parent, ast.Subscript) and not isinstance(parent.ctx, ast.Load)
        if is_set or (isinstance(parent, ast.Attribute) and parent.attr in _DICT_CHANGES):
            return True
    return False
