"""A call's arguments by parameter name, their comments, and source text by node."""

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple


class Unbindable(Exception):
    """A call whose arguments cannot be read off the source, with the reason."""


def bind(call: ast.Call, parameters: Sequence[str], *, no_others: bool = False) -> dict[str, ast.expr]:
    """The expressions that a call gives to ``parameters``, which stand in the order of its signature.

    Args:
      no_others: whether the call must have no other arguments; else those come, too.

    Raises:
      Unbindable: for ``*args``, ``**kwargs``, or more positional arguments than parameters.
    """
    hidden = [ast.unparse(one) for one in call.args if isinstance(one, ast.Starred)]
    hidden += [f"**{ast.unparse(one.value)}" for one in call.keywords if one.arg is None]
    if hidden:
        raise Unbindable(f"its arguments are in {hidden[0]}")
    if len(call.args) > len(parameters):
        raise Unbindable(f"it has more positional arguments than the {len(parameters)} known ones")
    bound = dict(zip(parameters, call.args, strict=False))
    others = [keyword.arg for keyword in call.keywords if keyword.arg not in parameters]
    if no_others and others:
        raise Unbindable(f"its argument `{others[0]}` has no counterpart here")
    bound.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None})
    return bound


def defaults(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> dict[str, ast.expr]:
    """The defaults of a function's parameters, by name; those without one are missing."""
    arguments = function.args
    positional = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    by_position = zip(reversed(positional), reversed(arguments.defaults), strict=False)
    by_name = zip((argument.arg for argument in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    return {name: default for name, default in (*by_position, *by_name) if default is not None}


class Source:
    """A module's text, from which the exact text of a node is cut.

    ``ast`` counts columns in UTF-8 bytes and lines by ``\\n``, ``\\r`` and ``\\r\\n`` alone, which ``str.splitlines``
    does not.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def lines(self) -> list[bytes]:
        """The text's lines, without their ends."""
        return [line.encode() for line in self._text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]

    def text(self, node: ast.expr | ast.stmt, renamed: Mapping[ast.expr, str] | None = None) -> str:
        """The source text of ``node``, with other text for some of the expressions inside it."""
        start, end = (node.lineno, node.col_offset), end_place(node)
        inside = [part for part in ast.walk(node) if part in renamed] if renamed else []
        text = ""
        for part in sorted(inside, key=lambda part: (part.lineno, part.col_offset)):  # type: ignore[attr-defined]
            assert isinstance(part, ast.expr) and renamed is not None
            if (part.lineno, part.col_offset) < start:  # inside one that has other text already
                continue
            text += self._cut(start, (part.lineno, part.col_offset)) + renamed[part]
            start = end_place(part)
        return text + self._cut(start, end)

    def _cut(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The text between two places, each a line from 1 and a column in bytes."""
        first, last = start[0] - 1, end[0] - 1
        if first == last:
            return self.lines[first][start[1] : end[1]].decode()
        parts = [self.lines[first][start[1] :], *self.lines[first + 1 : last], self.lines[last][: end[1]]]
        return b"\n".join(parts).decode()

    def column(self, line: int, byte_column: int) -> int:
        """A column in characters for one that ``ast`` counted in bytes."""
        return len(self.lines[line - 1][:byte_column].decode())


def end_place(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line and the column in bytes at which a node ends."""
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


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


_BEHIND = re.compile(r"\s*,?\s*(#.*)")


class ArgumentComments(NamedTuple):
    """The comments of an argument, each from its ``#`` on."""

    above: tuple[str, ...] = ()
    behind: str = ""

    def around(self, argument: str) -> str:
        """An argument with its comments, in lines of their own where it has any; a comma ends it."""
        return "\n".join([*self.above, f"{argument}, {self.behind}".rstrip()])


def comments_of_argument(source: Source, call: ast.Call, value: ast.expr) -> ArgumentComments:
    """Returns the comments of the argument of ``call`` that has this value."""
    others = [*call.args, *(keyword.value for keyword in call.keywords)]
    named = next((keyword for keyword in call.keywords if keyword.value is value), None)
    first, lines = (named or value).lineno, source.lines
    last = value.end_lineno or first
    behind = _BEHIND.fullmatch(lines[last - 1][value.end_col_offset or 0 :].decode().rstrip())
    above: list[str] = []
    ends = [one.end_lineno or 0 for one in others if one is not value] + [call.func.end_lineno or 0]
    at = first - 1
    if first not in ends:
        while at > 0 and at not in ends and lines[at - 1].lstrip().startswith(b"#"):
            above.insert(0, lines[at - 1].decode().strip())
            at -= 1
    return ArgumentComments((*above,), behind[1] if behind else "")
