"""A ``restore`` whose failure the program passes over (FT502)."""

import ast

from migrate.analysis.names import Names

_ANY = ("Exception", "BaseException")


def is_swallowed(names: Names, call: ast.Call) -> bool:
    """Whether the program goes on after any error of a call, under the ``try`` around it."""
    below: ast.AST = call
    for around in names.ancestors(call):
        if isinstance(around, ast.FunctionDef):
            return False
        if isinstance(around, ast.Try) and below in around.body:
            caught = [one for one in around.handlers if one.type is None or ast.unparse(one.type) in _ANY]
            ends = (part for one in caught for statement in one.body for part in ast.walk(statement))
            if caught and not any(isinstance(part, ast.Raise | ast.Return | ast.Call) and _ends(part) for part in ends):
                return True
        below = around
    return False


def _ends(part: ast.AST) -> bool:
    return not isinstance(part, ast.Call) or ast.unparse(part.func).rpartition(".")[2] in ("exit", "_exit", "restore")
