"""Names that a program does without where TensorFlow lacks them: ``try: from tensorflow.contrib import x``."""

import ast

from migrate.analysis.names import Names

_REMOVED = ("tensorflow.compat.v1.contrib", "tensorflow.contrib", "tensorflow.python")
_OF_IMPORTS = {"ImportError", "ModuleNotFoundError"}
_OF_NAMES = {*_OF_IMPORTS, "AttributeError"}
_ANY = {"BaseException", "Exception"}


def is_guarded(names: Names, node: ast.expr) -> bool:
    """Whether a name of what TensorFlow 2 removed, or the import that it comes by, may fail without harm."""
    if not (names.qualified(node) or "").startswith(_REMOVED):
        return False
    if _is_tried(names, names.statement_of(node), _OF_NAMES):
        return True
    while isinstance(node, ast.Attribute):
        node = node.value
    found = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    for binding in found[1] if found is not None else ():
        is_removed = (binding.imported or "").startswith(_REMOVED)
        if is_removed and isinstance(binding.node, ast.stmt) and _is_tried(names, binding.node, _OF_NAMES | _ANY):
            return True
    return False


def _is_tried(names: Names, statement: ast.stmt, caught: set[str]) -> bool:
    for around in names.ancestors(statement):
        if isinstance(around, ast.Try) and statement in around.body:
            return any(_catches(handler.type, caught) for handler in around.handlers)
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            break
    return False


def _catches(kind: ast.expr | None, caught: set[str]) -> bool:
    if kind is None:
        return not caught.isdisjoint(_ANY)
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(isinstance(one, ast.Name) and one.id in caught for one in kinds)
