"""Resumptions by hand that are spread over functions and files: found, so that they can be told of."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.paths import only_given
from migrate.analysis.scopes import Binding
from migrate.analysis.trainings import is_training
from migrate.analysis.values.made_of import made_of

_RESTORES = re.compile(r"restore|resume|load_?(the_|last_|latest_)?(model|weights|checkpoint|ckpt)")
_ARITHMETIC = {"float", "int", "max", "min", "round"}
"""Calls that reckon: an epoch that they alone give is a stage of the training, as far as their numbers are."""


def counted(module: Module) -> Iterator[ast.Call]:
    """The training calls whose ``initial_epoch`` is worked out.

    In a module that saves by ``ModelCheckpoint`` that is any number that a call gives; elsewhere it is one that comes
    from a call that restores or loads.
    """
    names, saves = module.names, "keras.callbacks.ModelCheckpoint" in module.uses
    for node in names.nodes(ast.Call):
        if not is_training(node):
            continue
        first = next((keyword.value for keyword in node.keywords if keyword.arg == "initial_epoch"), None)
        if first is None or _is_recovered(first):
            continue
        if (saves and _is_worked_out(names, first)) or _is_restored(names, first):
            yield node


def _is_recovered(first: ast.expr) -> bool:
    """Whether an object that knows its checkpoints gives the epoch: ``recovery.restore()``."""
    calls = [node for node in ast.walk(first) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return any(call.func.attr == "restore" and not (call.args or call.keywords) for call in calls)  # type: ignore[attr-defined]


def _is_worked_out(names: Names, first: ast.expr) -> bool:
    """Whether a variable gets a number from a file's name or from what a function of the user's returns."""
    waiting, known = [first], set[ast.AST]()
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        given = only_given(names, name) if isinstance(name, ast.Name) else None
        waiting += [given] if given is not None else []
        for binding in names.bound(name) if given is None else ():
            if binding.node in known or isinstance(binding.node, ast.arg) or binding.imported is not None:
                continue
            known.add(binding.node)
            inside = _bound_by_call(names, binding)
            if inside is None:
                return True
            waiting += inside
    return False


def _bound_by_call(names: Names, binding: Binding) -> list[ast.expr] | None:
    """None for a number that a function of the user's, or a piece of text, gives; else what it is computed of."""
    statement = names.statement_of(binding.node)
    if not isinstance(statement, ast.Assign):
        return []
    if binding.value is None:  # one of several that a function returns
        return None if isinstance(statement.value, ast.Call) else []
    parts = list(ast.walk(binding.value))
    calls = [part for part in parts if isinstance(part, ast.Call)]
    if not calls or "arg" in ast.unparse(statement):
        return []
    if any(not isinstance(call.func, ast.Name) or call.func.id not in _ARITHMETIC for call in calls):
        return None
    if any(isinstance(part, ast.Subscript) or getattr(part, "attr", "") == "iterations" for part in parts):
        return None  # a piece of text, or the optimizer's own count
    bases = [part.value for part in parts if isinstance(part, ast.Attribute)]
    return [one for one in parts if isinstance(one, ast.Name) and one.id not in _ARITHMETIC and one not in bases]


def _is_restored(names: Names, value: ast.expr) -> bool:
    """Whether a number comes from a call that restores or loads a model."""
    for node in made_of(names, value):
        if isinstance(node, ast.Call) and (node.args or node.keywords):  # of a path or a model
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if _RESTORES.search(name.lower()):
                return True
    return False
