"""A call's arguments by parameter name, and source text by node."""

import ast
from collections.abc import Sequence


class Unbindable(Exception):
    """A call whose arguments cannot be read off the source, with the reason."""


def bind(call: ast.Call, parameters: Sequence[str]) -> dict[str, ast.expr]:
    """The expressions that a call gives to ``parameters``, which stand in the order of its signature.

    Raises:
      Unbindable: for ``*args``, ``**kwargs``, or more positional arguments than parameters.
    """
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        raise Unbindable("its arguments are passed by *args")
    if any(keyword.arg is None for keyword in call.keywords):
        raise Unbindable("its arguments are passed by **kwargs")
    if len(call.args) > len(parameters):
        raise Unbindable(f"it has more positional arguments than the {len(parameters)} known ones")
    bound = dict(zip(parameters, call.args, strict=False))
    bound.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None})
    return bound


class Source:
    """A module's text, from which the exact text of a node is cut.

    ``ast`` counts columns in UTF-8 bytes and lines by ``\\n``, ``\\r`` and ``\\r\\n`` alone, which ``str.splitlines``
    does not.
    """

    def __init__(self, text: str) -> None:
        self.lines = [line.encode() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The source text of ``node``."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        if first == last:
            return self.lines[first][node.col_offset : node.end_col_offset].decode()
        middle = self.lines[first + 1 : last]
        parts = [self.lines[first][node.col_offset :], *middle, self.lines[last][: node.end_col_offset]]
        return b"\n".join(parts).decode()

    def column(self, line: int, byte_column: int) -> int:
        """A column in characters for one that ``ast`` counted in bytes."""
        return len(self.lines[line - 1][:byte_column].decode())


def literal(expression: ast.expr | None) -> object:
    """The value of a literal (a number, string, None, True, a list of these), or ``ellipsis`` if it is none."""
    if expression is None:
        return ...
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ...


def is_none(expression: ast.expr | None) -> bool:
    """Whether an argument is missing or the literal None."""
    return expression is None or (isinstance(expression, ast.Constant) and expression.value is None)
