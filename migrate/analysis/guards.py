"""Code that a program runs only where the TensorFlow that it finds has a name."""

import ast

from migrate.analysis.names import Names
from migrate.tensorflow.names import NEW, OLD, lacking

_CAUGHT = {"ImportError", "ModuleNotFoundError", "AttributeError"}
_CAUGHT_WITH_IMPORTS = {"Exception", "BaseException"}
_VERSIONS = {"__version__", "VERSION"}


def is_guarded(names: Names, node: ast.AST) -> bool:
    """Whether a name of TensorFlow is tried only, or asked for before it is used.

    So it stands under ``try`` with an ``except ImportError`` or ``AttributeError``, it comes from an import of what a
    TensorFlow lacks that does, or a condition asks ``hasattr`` of TensorFlow or for its version.
    """
    return _stands_guarded(names, node) or any(_stands_guarded(names, one) for one in _imports_of(names, node))


def _imports_of(names: Names, node: ast.AST) -> list[ast.AST]:
    while isinstance(node, ast.Attribute):
        node = node.value
    found = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    bindings = found[1] if found is not None else []
    return [one.node for one in bindings if one.imported is not None and lacking(one.imported, (OLD, NEW))]


def _stands_guarded(names: Names, node: ast.AST) -> bool:
    for around in names.ancestors(node):
        if isinstance(around, ast.Try) and any(_catches(around, handler) for handler in around.handlers):
            return True
        if isinstance(around, ast.If | ast.IfExp) and _asks(names, around.test):
            return True
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return False
    return False


def _catches(statement: ast.Try, handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    known = {getattr(kind, "id", "") for kind in kinds}
    only_imports = all(isinstance(one, ast.Import | ast.ImportFrom) for one in statement.body)
    catches_all = handler.type is None or not known.isdisjoint(_CAUGHT_WITH_IMPORTS)
    return not known.isdisjoint(_CAUGHT) or (catches_all and only_imports)


def _asks(names: Names, test: ast.expr) -> bool:
    """Whether a condition depends on what TensorFlow is there."""
    values = [names.only_value(part) for part in ast.walk(test) if isinstance(part, ast.Name)]
    parts = [part for one in [test, *values] if one is not None for part in ast.walk(one)]
    return any(_is_version(names, part) or _is_hasattr(names, part) for part in parts)


def _is_hasattr(names: Names, node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr"
    return is_call and isinstance(node, ast.Call) and bool(node.args) and _is_tensorflow(names, node.args[0])


def _is_version(names: Names, node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _VERSIONS and _is_tensorflow(names, node.value)


def _is_tensorflow(names: Names, node: ast.expr) -> bool:
    return (names.qualified(node) or "").startswith("tensorflow")
