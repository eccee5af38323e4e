"""What a value comes from that a program is given or makes: a flag, the environment, the code itself."""

import ast
from collections.abc import Collection, Iterator, Mapping
from enum import Enum

from migrate.analysis.program.defined_flags import Flag
from migrate.analysis.source.arguments import is_none, literal
from migrate.analysis.source.module import Module
from migrate.analysis.values.values import Values

_VARIABLES = ("os.environ", "os.getenv", "os.environ.get")
_NEUTRAL = (
    *("os.path.", "pathlib.", "time.", "datetime.", "uuid.", "getpass.", "socket.", "random.", "os.getcwd"),
    *("str", "int", "format", "abs", "os.getpid", "os.fspath"),
)
"""Calls whose value is no more given from outside than their arguments are."""

_MADE = (ast.Call, ast.BinOp, ast.JoinedStr)
"""What puts a path together."""


class Origin(Enum):
    """What a directory comes from, the strongest first: one part of a path that is given from outside settles it."""

    FLAG = "a flag"
    ENVIRONMENT = "a variable of the environment"
    UNKNOWN = "something that is not seen"
    TEMPORARY = "a temporary directory"
    WRITTEN = "the code"


class Provenance:
    """What values of a program come from."""

    def __init__(self, values: Values, flags: Mapping[str, Flag]) -> None:
        self._values = values
        self._flags = flags

    def of(self, module: Module, value: ast.expr, is_file: bool = False) -> tuple[Origin, str] | None:
        """Returns the strongest source of a value and its name; None for a value that is None.

        Args:
          is_file: whether it is the path of a file, of which the directory is asked: what gives it whole is unknown.
        """
        found = self._origins(module, value, 0)
        if is_file:
            ends = [one for one in self._values.ends(module, value) if not isinstance(one.node, _MADE)]
            whole = [self._from_outside(module, value), *(self._end(one.module, one.node, 0) for one in ends)]
            found = ((Origin.UNKNOWN, "") if one[0] is Origin.FLAG and one in whole else one for one in found)
        return min(found, key=lambda one: [*Origin].index(one[0]), default=None)

    def _origins(self, module: Module, value: ast.expr, depth: int) -> Iterator[tuple[Origin, str]]:
        known = self._from_outside(module, value)
        if known is not None or depth > 8:
            yield known or (Origin.UNKNOWN, "")
            return
        for end in self._values.ends(module, value):
            if not is_none(end.node if isinstance(end.node, ast.expr) else None) or end.node is None:
                yield self._end(end.module, end.node, depth)

    def _end(self, module: Module, node: ast.AST, depth: int) -> tuple[Origin, str]:
        """What one thing comes from that a directory may be."""
        if isinstance(node, ast.arg) and node.arg in self._flags:
            return Origin.FLAG, self._flags[node.arg].spelled
        if not isinstance(node, ast.expr):
            return Origin.UNKNOWN, ""
        known = self._from_outside(module, node)
        if known is not None:
            return known
        if isinstance(node, ast.Constant):
            return Origin.WRITTEN, repr(node.value)
        parts = _parts(module, node)
        if parts is None:
            return Origin.UNKNOWN, ""
        found = [one for part in parts for one in self._origins(module, part, depth + 1)]
        strongest = min(found, key=lambda one: [*Origin].index(one[0]), default=(Origin.WRITTEN, ""))
        return (Origin.WRITTEN, ast.unparse(node)) if strongest[0] is Origin.WRITTEN else strongest

    def _from_outside(self, module: Module, node: ast.expr) -> tuple[Origin, str] | None:
        """The flag, the variable or the temporary directory that an expression itself is."""
        called = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else node
        dotted = module.names.qualified(called) or ""
        if dotted.startswith("tempfile."):
            return Origin.TEMPORARY, ""
        if dotted in _VARIABLES and not isinstance(node, ast.Attribute | ast.Name):
            key = node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "slice", None)
            name = literal(key)
            return (Origin.ENVIRONMENT, name) if isinstance(name, str) else (Origin.UNKNOWN, "")
        name = node.attr if isinstance(node, ast.Attribute) else literal(getattr(node, "slice", None))
        is_flag = isinstance(name, str) and name in self._flags and not _is_own(node)
        return (Origin.FLAG, self._flags[name].spelled) if is_flag and isinstance(name, str) else None


def _is_own(node: ast.expr) -> bool:
    """Whether an attribute is one of ``self``, which is followed to what is assigned to it."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _parts(module: Module, node: ast.expr) -> Collection[ast.expr] | None:
    """What a path is put together from; None where that is not seen."""
    if isinstance(node, ast.JoinedStr):
        return [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    if isinstance(node, ast.BinOp):
        right = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return [node.left, *right]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.Call):
        dotted = module.names.qualified(node.func) or ast.unparse(node.func)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant):
            return given  # a method of a text
        is_neutral = dotted.startswith(tuple(one for one in _NEUTRAL if one.endswith("."))) or dotted in _NEUTRAL
        return given if is_neutral else None
    return [] if isinstance(node, ast.Name) and node.id == "__file__" else None
