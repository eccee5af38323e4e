"""Finds restores whose failure the program ignores (FT502)."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.source.names import Names
from migrate.rules.rule import Fix, Workbench, manual

_CHECKPOINT = re.compile(r"check_?point|ckpt", re.IGNORECASE)
_ANY = ("Exception", "BaseException")
_RESTORE_METHODS = ("restore", "load_weights")


def swallowed_restores(bench: Workbench) -> Iterator[Fix]:
    """Yields each restore that may fail unnoticed, so that the program starts over and overwrites the checkpoint."""
    names = bench.module.names
    tries = names.nodes(ast.Try)
    for call in names.nodes(ast.Call) if tries else ():
        is_restore = isinstance(call.func, ast.Attribute) and call.func.attr in _RESTORE_METHODS
        if is_restore and _is_saved(bench, call) and is_swallowed(names, call):
            message = "a failed restore is ignored: the job starts over, and its saves replace the old ones"
            yield Fix((manual(call, message, "Restore where a checkpoint is there, by a test, without the try."),))


def _is_saved(bench: Workbench, restore: ast.Call) -> bool:
    """Whether the file saves what it restores: a checkpoint with a manager, an object of its own, or weights."""
    known = [one for one in bench.checkpoints.all if restore in one.calls("restore")]
    if known:
        return any(one.managers for one in known)
    assert isinstance(restore.func, ast.Attribute)
    held = ast.unparse(restore.func.value)
    if restore.func.attr == "load_weights":
        return _saves_weights(bench, restore)
    is_asserted = isinstance(parent := bench.module.names.parent(restore), ast.Attribute) and "assert" in parent.attr
    saves = [one for one in bench.module.names.attributes.get("save", ()) if ast.unparse(one.value) == held]
    return bool(is_asserted and saves and _CHECKPOINT.search(held))


def _saves_weights(bench: Workbench, load: ast.Call) -> bool:
    """Whether the file saves the weights that it loads, by the same path or, for a search, by any."""
    module, names = bench.module, bench.module.names
    path = names.value(load.args[0]) if load.args else load
    callbacks = module.calls_of("keras.callbacks.ModelCheckpoint")
    saves = [names.parent(one) for one in names.attributes.get("save_weights", ())] + callbacks
    if path in module.calls_of("train.latest_checkpoint"):
        return bool(saves)
    calls = [save for save in saves if isinstance(save, ast.Call)]
    given = [one for save in calls for one in save.args[:1]]
    given += [one.value for save in calls for one in save.keywords if one.arg == "filepath"]
    return any(ast.unparse(names.value(one)) == ast.unparse(path) for one in given)


def is_swallowed(names: Names, call: ast.Call) -> bool:
    """Whether a ``try`` around a call catches any error and the program continues."""
    below: ast.AST = call
    for around in names.ancestors(call):
        if isinstance(around, ast.FunctionDef):
            return False
        if isinstance(around, ast.Try) and below in around.body:
            caught = [one for one in around.handlers if one.type is None or ast.unparse(one.type) in _ANY]
            ends = [part for one in caught for statement in one.body for part in ast.walk(statement)]
            called = {ast.unparse(one.func).rpartition(".")[2] for one in ends if isinstance(one, ast.Call)}
            goes_on = called.isdisjoint(("exit", "_exit", *_RESTORE_METHODS))
            if caught and goes_on and not any(isinstance(part, ast.Raise | ast.Return) for part in ends):
                return True
        below = around
    return False
