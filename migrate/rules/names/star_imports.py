"""Imports of TensorFlow for files that got it by ``from … import *`` of another file."""

import ast

from migrate.analysis.source.module import Module
from migrate.files.trouble import Unreadable
from migrate.rules.rule import EstimatorFile


def star_import_below(file: EstimatorFile, statement: ast.stmt, name: str) -> ast.ImportFrom | None:
    """Returns the last star import below an import that binds its name to TensorFlow 2 again; None for none."""
    body = file.module.tree.body
    below = body[body.index(statement) + 1 :] if statement in body else []
    stars = [one for one in below if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
    return next((one for one in reversed(stars) if _binds_tensorflow_2(file, file.module, one, name)), None)


def _binds_tensorflow_2(file: EstimatorFile, module: Module, star: ast.ImportFrom, name: str, depth: int = 0) -> bool:
    """Whether a star import binds a name to TensorFlow 2, because the imported file keeps its own import of it."""
    found = file.tree.target(module, "." * star.level + (star.module or ""))
    if found is None or found.names or depth > _MAX_DEPTH:
        return False
    try:
        other = file.tree.module(found.path)
    except Unreadable:
        return False
    if name in other.names.top.bindings:
        return not other.is_tf1 and [one.imported for one in other.names.top.bindings[name]] == ["tensorflow"]
    inner = [one for one in other.tree.body if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
    return any(_binds_tensorflow_2(file, other, one, name, depth + 1) for one in inner)


_MAX_DEPTH = 5
"""A limit, because star imports may form a cycle."""


def lines_with_import(module: Module, statement: ast.stmt, name: str, package: str) -> list[str]:
    """Returns an import without one name, and an import of TensorFlow by that name, as lines."""
    assert isinstance(statement, ast.ImportFrom)
    own = f"import {package}" if name == package else f"import {package} as {name}"
    others = [alias for alias in statement.names if (alias.asname or alias.name) != name]
    if len(others) == len(statement.names):
        return [module.source.text(statement), own]
    return [*([ast.unparse(ast.ImportFrom(statement.module, others, statement.level))] if others else []), own]
