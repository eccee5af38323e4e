"""The ``ModelCheckpoint`` callbacks that Keras 3 rejects whenever the program starts."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.paths import template

UNKNOWN = "⟩"
"""What a path ends in where its end is not seen."""
_SUFFIXES = {True: ".weights.h5", False: ".keras"}
"""What the name of a file ends in, by whether weights alone are saved."""
_TAKEN = {True: (".weights.h5",), False: (".keras", ".h5")}
_GONE = ("load_weights_on_restart", "period", "options")


def refused_on_keras3(module: Module) -> Iterator[tuple[ast.Call, str]]:
    """Yields each callback that Keras 3 rejects, with what to do about it."""
    for call in module.names.nodes(ast.Call):
        if name_of(call.func) != "ModelCheckpoint":
            continue
        given = {one.arg: one.value for one in call.keywords if one.arg is not None}
        gone = [name for name in _GONE if name in given]
        if gone:
            yield call, f"take out {' and '.join(gone)}"
        only_weights = literal(given.get("save_weights_only", ast.Constant(False)))
        path = given.get("filepath", call.args[0] if call.args else None)
        end = end_of(module.names, path) if path is not None else UNKNOWN
        if end.endswith(UNKNOWN) or not isinstance(only_weights, bool):
            continue
        if not end.endswith(_TAKEN[only_weights]):
            yield call, f"name the file …{_SUFFIXES[only_weights]}"


def needed_on_keras3(module: Module) -> Iterator[str]:
    """Yields what is to be done before the program starts on Keras 3, one sentence a callback."""
    for call, remedy in refused_on_keras3(module):
        yield f"On Keras 3, line {call.lineno}: {remedy}."


def end_of(names: Names, path: ast.expr) -> str:
    """The last part of a path; ``UNKNOWN`` where the code does not show it."""
    known = template(names, path)
    if known is not None:
        return known
    if isinstance(path, ast.Call) and isinstance(path.func, ast.Attribute) and path.func.attr == "format":
        return end_of(names, path.func.value)
    if isinstance(path, ast.Call) and path.args and names.qualified(path.func) == "os.path.join":
        return end_of(names, path.args[-1])
    return end_of(names, path.right) if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add) else UNKNOWN
