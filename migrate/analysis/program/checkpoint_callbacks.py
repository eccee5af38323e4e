"""The ``ModelCheckpoint`` callbacks that Keras 3 rejects when the program starts."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.paths import template

UNKNOWN = "⟩"
"""The ending of a path whose end is known only at run time."""
_SUFFIXES = {True: ".weights.h5", False: ".keras"}
"""The suffix of a checkpoint file, by ``save_weights_only``."""
_ACCEPTED_SUFFIXES = {True: (".weights.h5",), False: (".keras", ".h5")}
_REMOVED_ARGUMENTS = ("load_weights_on_restart", "period", "options")


def callbacks_rejected_by_keras3(module: Module) -> Iterator[tuple[ast.Call, str]]:
    """Yields the callbacks that Keras 3 rejects, each with a remedy."""
    for call in module.names.nodes(ast.Call) if "ModelCheckpoint" in module.text else ():
        if name_of(call.func) != "ModelCheckpoint":
            continue
        given = {one.arg: one.value for one in call.keywords if one.arg is not None}
        removed = [name for name in _REMOVED_ARGUMENTS if name in given]
        if removed:
            yield call, f"remove {' and '.join(removed)}"
        only_weights = literal(given.get("save_weights_only", ast.Constant(False)))
        path = given.get("filepath", call.args[0] if call.args else None)
        end = path_ending(module.names, path) if path is not None else UNKNOWN
        if end.endswith(UNKNOWN) or not isinstance(only_weights, bool):
            continue
        if not end.endswith(_ACCEPTED_SUFFIXES[only_weights]):
            yield call, f"name the file …{_SUFFIXES[only_weights]}"


def changes_for_keras3(module: Module) -> Iterator[str]:
    """Yields what to change before the program can start on Keras 3, one sentence for each callback."""
    for call, remedy in callbacks_rejected_by_keras3(module):
        yield f"On Keras 3, line {call.lineno}: {remedy}."


def path_ending(names: Names, path: ast.expr) -> str:
    """Returns a path, or its last part; ``UNKNOWN`` if the code does not show it."""
    known = template(names, path)
    if known is not None:
        return known
    if isinstance(path, ast.Call) and isinstance(path.func, ast.Attribute) and path.func.attr == "format":
        return path_ending(names, path.func.value)
    if isinstance(path, ast.Call) and path.args and names.qualified(path.func) == "os.path.join":
        return path_ending(names, path.args[-1])
    return path_ending(names, path.right) if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add) else UNKNOWN
