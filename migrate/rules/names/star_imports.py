"""Import lines that give a file TensorFlow, or ``tensorflow.compat.v1``, where another file's star gave it before."""

import ast

from migrate.analysis.source.module import Module
from migrate.files.trouble import Unreadable
from migrate.rules.rule import ObjectFile


def hidden_by_star(file: ObjectFile, statement: ast.stmt, name: str) -> ast.ImportFrom | None:
    """The last ``from … import *`` below an import that gives TensorFlow 2 by its name again; None for none."""
    body = file.module.tree.body
    below = body[body.index(statement) + 1 :] if statement in body else []
    stars = [one for one in below if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
    return next((one for one in reversed(stars) if _gives(file, file.module, one, name)), None)


def _gives(file: ObjectFile, module: Module, star: ast.ImportFrom, name: str, depth: int = 0) -> bool:
    """Whether a star import gives TensorFlow 2 by a name: from a file whose import of it stays as it is."""
    found = file.tree.target(module, "." * star.level + (star.module or ""))
    if found is None or found.names or depth > _DEEPEST:
        return False
    try:
        other = file.tree.module(found.path)
    except Unreadable:
        return False
    if name in other.names.top.bindings:
        return not other.is_tf1 and [one.imported for one in other.names.top.bindings[name]] == ["tensorflow"]
    inner = [one for one in other.tree.body if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
    return any(_gives(file, other, one, name, depth + 1) for one in inner)


_DEEPEST = 5
"""Files may import all of one another in a circle."""


def lines_beside(module: Module, statement: ast.stmt, name: str, package: str) -> list[str]:
    """The lines of an import of another file's names, without that one, and an import of TensorFlow by it."""
    assert isinstance(statement, ast.ImportFrom)
    own = f"import {package}" if name == package else f"import {package} as {name}"
    others = [alias for alias in statement.names if (alias.asname or alias.name) != name]
    if len(others) == len(statement.names):
        return [module.source.text(statement), own]
    return [*([ast.unparse(ast.ImportFrom(statement.module, others, statement.level))] if others else []), own]
