"""Whether a file runs on Keras 2, as ``tf_keras`` has it beside the newest TensorFlow."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module

_VARIABLE = "TF_USE_LEGACY_KERAS"
_ON = ("1", "true", "True")
"""The values that TensorFlow takes for yes."""
_SETTERS = ("os.environ.setdefault", "os.putenv")


def is_on_keras_2(module: Module) -> bool:
    """Whether a file imports Keras as ``tf_keras``, or sets ``TF_USE_LEGACY_KERAS`` and never to anything but yes."""
    values = [literal(value) for value in _values(module)] if _VARIABLE in module.text else []
    return module.has_tf_keras or (bool(values) and all(value in _ON for value in values))


def _values(module: Module) -> Iterator[ast.expr | None]:
    """What the environment variable is set to; None where that is not seen."""
    names = module.names
    for store in names.stores:
        if isinstance(store, ast.Subscript) and names.qualified(store.value) == "os.environ":
            statement = names.parent(store)
            if literal(store.slice) == _VARIABLE:
                yield statement.value if isinstance(statement, ast.Assign) else None
    for node in names.nodes(ast.Call):
        if names.qualified(node.func) in _SETTERS and node.args and literal(node.args[0]) == _VARIABLE:
            yield node.args[1] if len(node.args) == 2 else None
