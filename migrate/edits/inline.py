"""Emitted pieces fitted to the file that holds them itself: its names stay what they are."""

import ast
from collections.abc import Iterable, Mapping

from migrate.analysis.names import Names


def fitted(
    imports: Iterable[str], pieces: str, tree: ast.Module, wanted: set[str], aliases: Mapping[str, str]
) -> tuple[list[str], str]:
    """The pieces and their imports with other names where the file uses one for something else.

    Where ``tf`` is ``tensorflow.compat.v1``, the pieces import TensorFlow as ``tf2``.

    Args:
      imports: the import statements that the pieces need, each of one module or of names from one.
      pieces: source of emitted definitions.
      tree: the file that takes them in.
      wanted: the pieces that the file's new code names; these keep their names, or have their aliases.
      aliases: by the pieces' names, those that the new code calls them by.
    """
    names = Names(tree)
    renamed: dict[str, str] = {}
    statements = []
    for text in imports:
        statement = ast.parse(text).body[0]
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in statement.names:
            name = alias.asname or alias.name
            origin = alias.name if isinstance(statement, ast.Import) else f"{statement.module}.{alias.name}"
            if name not in wanted and name in names.top.bindings and not names.is_always_import(name, origin):
                renamed[name] = alias.asname = _free(name, names, pieces)
        statements.append(ast.unparse(statement))
    for node in ast.parse(pieces).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if node.name in wanted & aliases.keys():
            renamed[node.name] = aliases[node.name]
        elif node.name in names.top.bindings.keys() - wanted:
            renamed[node.name] = _free(node.name, names, pieces)
    return statements, _renamed(pieces, renamed)


def _free(name: str, names: Names, pieces: str) -> str:
    number = 2
    while names.is_bound_anywhere(f"{name}{number}") or f"{name}{number}" in pieces:
        number += 1
    return f"{name}{number}"


def _renamed(source: str, renamed: dict[str, str]) -> str:
    if not renamed:
        return source
    lines = source.split("\n")
    places: list[tuple[int, int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in renamed:
            places.append((node.lineno, node.col_offset, node.id))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in renamed:
            places.append((node.lineno, len(lines[node.lineno - 1].partition(node.name)[0].encode()), node.name))
    for line, column, name in sorted(places, reverse=True):
        text = lines[line - 1].encode()
        lines[line - 1] = (text[:column] + renamed[name].encode() + text[column + len(name.encode()) :]).decode()
    return "\n".join(lines)
