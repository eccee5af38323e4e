"""Resumptions by hand that are spread over functions and files: found, so that they can be told of."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.names import Binding, Names
from migrate.analysis.paths import template
from migrate.analysis.searches import is_own_file
from migrate.analysis.trainings import is_training

_SAVER = ("filepath",)
_RESTORES = re.compile(r"restore|resume|load_?(the_|last_|latest_)?(model|weights|checkpoint|ckpt)")
_ARITHMETIC = {"float", "int", "max", "min", "round"}
"""Calls that reckon: an epoch that they alone give is a stage of the training, as far as their numbers are."""
_MOST_NAMES = 3
"""Variables that stand between ``initial_epoch`` and what works it out."""


def counted(module: Module) -> Iterator[ast.Call]:
    """The training calls whose ``initial_epoch`` is worked out.

    In a module that saves by ``ModelCheckpoint`` that is any number that a call gives; elsewhere it is one that comes
    from a call that restores or loads.
    """
    names, saves = module.names, "keras.callbacks.ModelCheckpoint" in module.uses
    for node in list(names.parents):
        if not isinstance(node, ast.Call) or not is_training(node):
            continue
        first = next((keyword.value for keyword in node.keywords if keyword.arg == "initial_epoch"), None)
        if first is None or _is_recovered(first):
            continue
        is_counted = saves and (_is_worked_out(names, first) or _is_counted_attribute(names, first))
        if is_counted or _is_restored(names, first, 0):
            yield node


def loaded_by_function(module: Module) -> Iterator[ast.Call]:
    """The loads in a function that a training function calls before ``fit``, from where ``ModelCheckpoint`` writes."""
    names = module.names
    saved = [template(names, path) for path in _saved_paths(module)]
    for node in list(names.parents) if saved else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        function = names.scope_of(node).node
        if node.func.attr != "load_weights" or not isinstance(function, ast.FunctionDef):
            continue
        is_own = any(path is not None and is_own_file(module, node.args[0], path) for path in saved)
        if is_own and any(_is_trained(names, call) for call in _calls_of(names, function)):
            yield node


def _saved_paths(module: Module) -> Iterator[ast.expr]:
    for call in module.calls_of("keras.callbacks.ModelCheckpoint"):
        try:
            path = bind(call, _SAVER).get("filepath")
        except Unbindable:
            path = call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None
        if path is not None:
            yield path


def _calls_of(names: Names, function: ast.FunctionDef) -> Iterator[ast.Call]:
    for use in names.uses(function.name, names.top):
        call = names.parent(use)
        if isinstance(call, ast.Call) and call.func is use:
            yield call


def _is_trained(names: Names, made: ast.Call) -> bool:
    """Whether the model that a function returns is trained where it is called."""
    statement = names.parent(made)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    own, scope = key(names, statement.targets[0]), names.scope_of(made)
    return own is not None and any(
        isinstance(node, ast.Call)
        and is_training(node)
        and isinstance(node.func, ast.Attribute)
        and names.scope_of(node) is scope
        and key(names, node.func.value) == own
        and node.lineno > made.lineno
        for node in ast.walk(scope.node)
    )


def _is_recovered(first: ast.expr) -> bool:
    """Whether an object that knows its checkpoints gives the epoch: ``recovery.restore()``."""
    calls = [node for node in ast.walk(first) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return any(call.func.attr == "restore" and not (call.args or call.keywords) for call in calls)  # type: ignore[attr-defined]


def _is_worked_out(names: Names, first: ast.expr, depth: int = 0) -> bool:
    """Whether a variable gets a number from a file's name or from what a function of the user's returns."""
    found = names.scope_of(first).lookup(first.id) if isinstance(first, ast.Name) else None
    return found is not None and any(_is_bound_by_call(names, binding, depth) for binding in found[1])


def _is_bound_by_call(names: Names, binding: Binding, depth: int) -> bool:
    if isinstance(binding.node, ast.arg) or binding.imported is not None:
        return False
    statement = names.statement_of(binding.node)
    if not isinstance(statement, ast.Assign):
        return False
    if binding.value is None:  # one of several that a function returns
        return isinstance(statement.value, ast.Call)
    parts = list(ast.walk(binding.value))
    calls = [part for part in parts if isinstance(part, ast.Call)]
    if not calls or "arg" in ast.unparse(statement):
        return False
    if any(not isinstance(call.func, ast.Name) or call.func.id not in _ARITHMETIC for call in calls):
        return True
    if any(isinstance(part, ast.Subscript) or getattr(part, "attr", "") == "iterations" for part in parts):
        return True  # a piece of text, or the optimizer's own count
    bases = [part.value for part in parts if isinstance(part, ast.Attribute)]
    inside = [part for part in parts if isinstance(part, ast.Name) and part.id not in _ARITHMETIC and part not in bases]
    return depth < _MOST_NAMES and any(_is_worked_out(names, part, depth + 1) for part in inside)


def _is_counted_attribute(names: Names, first: ast.expr) -> bool:
    """Whether an attribute of ``self`` gets its number from ``int(…)`` of a piece of text."""
    own = key(names, first) if isinstance(first, ast.Attribute) else None
    for target in names.stores if own is not None else ():
        statement = names.parent(target)
        if isinstance(target, ast.Attribute) and key(names, target) == own and isinstance(statement, ast.Assign):
            for node in ast.walk(statement.value):
                is_int = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int"
                if is_int and any(isinstance(part, ast.Call) and part is not node for part in ast.walk(node)):
                    return True
    return False


def _is_restored(names: Names, value: ast.expr, depth: int) -> bool:
    """Whether a number comes from a call that restores or loads a model."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and (node.args or node.keywords):  # of a path or a model
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if _RESTORES.search(name.lower()):
                return True
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and depth < _MOST_NAMES:
            found = names.scope_of(node).lookup(node.id)
            values = [binding.value for binding in found[1] if binding.value is not None] if found is not None else []
            if any(_is_restored(names, each, depth + 1) for each in values):
                return True
    return False
