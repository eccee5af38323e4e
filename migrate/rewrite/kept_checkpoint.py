"""What the user has to change of a program's ``ModelCheckpoint`` callbacks before it starts on Keras 3."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.paths import template

_SUFFIXES = {True: ".weights.h5", False: ".keras"}
"""What the name of a file ends in, by whether weights alone are saved."""
_TAKEN = {True: (".weights.h5",), False: (".keras", ".h5")}
_GONE = ("load_weights_on_restart", "period", "options")


def needed_on_keras3(module: Module) -> Iterator[str]:
    """Yields what is to be done before the program starts on Keras 3, one sentence a callback."""
    for call in module.names.nodes(ast.Call):
        if name_of(call.func) != "ModelCheckpoint":
            continue
        given = {one.arg: one.value for one in call.keywords if one.arg is not None}
        gone = [name for name in _GONE if name in given]
        if gone:
            yield f"on Keras 3, line {call.lineno}: take out {' and '.join(gone)}"
        only_weights = literal(given.get("save_weights_only", ast.Constant(False)))
        path = given.get("filepath", call.args[0] if call.args else None)
        text = template(module.names, path) if path is not None else None
        if text is None or text.endswith("⟩") or not isinstance(only_weights, bool):
            continue
        if not text.endswith(_TAKEN[only_weights]):
            yield f"on Keras 3, line {call.lineno}: name the file …{_SUFFIXES[only_weights]}"
