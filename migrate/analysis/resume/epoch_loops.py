"""Loops over epochs that begin where an earlier start ended."""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.loads_before import TRAINS, LoadsBefore
from migrate.analysis.resume.own_loads import OwnLoad, is_recovered
from migrate.analysis.resume.reach import Reach
from migrate.analysis.resume.saves_in_training import MODEL_SAVES


def counted_loops(reach: Reach) -> Iterator[OwnLoad]:
    """Every loop of a file that begins at an epoch that is no given number, and trains, saves and loads one model."""
    module = reach.module
    for loop in module.names.nodes(ast.For):
        begun = _range(loop)
        if begun is None or len(begun.args) == 1 or isinstance(begun.args[0], ast.Constant):
            continue
        if is_recovered(module, loop):
            continue
        calls = [node for node in ast.walk(loop) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        trained = [call for call in calls if name_of(call.func) in TRAINS and _model(module, call) is not None]
        saves = [call for call in calls if name_of(call.func) in MODEL_SAVES and _model(module, call) is not None]
        if trained and any(save.args for save in saves):
            models = (call.func.value for call in [*trained, *saves])  # type: ignore[attr-defined]
            load = next(reach.one(LoadsBefore).asked(trained[0], *models), None)
            if load is not None:
                yield OwnLoad(trained[0], loop, module, load, saves)


def _model(module: Module, call: ast.Call) -> object:
    return key(module.names, call.func.value) if isinstance(call.func, ast.Attribute) else None


def epoch_begun(loop: ast.For) -> ast.expr | None:
    """What ``range(first, epochs)`` begins with; None where it is ``range(epochs)``, or a recovery knows it."""
    return begun.args[0] if (begun := _range(loop)) is not None and len(begun.args) == 2 else None


def _range(loop: ast.For) -> ast.Call | None:
    """The ``range`` of a loop that no recovery gives its first number."""
    call = loop.iter
    if not isinstance(call, ast.Call) or name_of(call.func) not in ("range", "trange") or len(call.args) not in (1, 2):
        return None
    begins = [node for node in ast.walk(call) if isinstance(node, ast.Call)]
    return None if any(name_of(node.func) == "restore" for node in begins) else call
