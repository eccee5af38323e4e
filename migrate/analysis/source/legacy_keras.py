"""Whether a file runs on Keras 2, which the package ``tf_keras`` provides for the newest TensorFlow."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module

_VARIABLE = "TF_USE_LEGACY_KERAS"
_TRUE_VALUES = ("1", "true", "True")
"""The values that TensorFlow treats as true."""
_SETTERS = ("os.environ.setdefault", "os.putenv")


def uses_keras_2(module: Module) -> bool:
    """Whether a file imports ``tf_keras``, or sets ``TF_USE_LEGACY_KERAS`` and only to true values."""
    values = [literal(value) for value in _assigned_values(module)] if _VARIABLE in module.text else []
    return module.has_tf_keras or (bool(values) and all(value in _TRUE_VALUES for value in values))


def _assigned_values(module: Module) -> Iterator[ast.expr | None]:
    """Yields the values that the environment variable is set to; None for one that the code does not show."""
    names = module.names
    for store in names.stores:
        if isinstance(store, ast.Subscript) and names.qualified(store.value) == "os.environ":
            statement = names.parent(store)
            if literal(store.slice) == _VARIABLE:
                yield statement.value if isinstance(statement, ast.Assign) else None
    for node in names.nodes(ast.Call):
        if names.qualified(node.func) in _SETTERS and node.args and literal(node.args[0]) == _VARIABLE:
            yield node.args[1] if len(node.args) == 2 else None
