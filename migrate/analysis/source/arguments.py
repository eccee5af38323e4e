"""A call's arguments by parameter name, their comments, and source text by node."""

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple


class Unbindable(Exception):
    """Raised for a call whose source does not show its arguments; the message says why."""


def bind(call: ast.Call, parameters: Sequence[str], *, no_others: bool = False) -> dict[str, ast.expr]:
    """Returns a call's arguments by parameter name.

    Args:
      parameters: the parameters of the called function, in the order of its signature.
      no_others: whether to reject arguments for other parameters; by default they are returned too.

    Raises:
      Unbindable: for ``*args``, ``**kwargs``, more positional arguments than parameters, or a rejected argument.
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
    """Returns the default values of a function's parameters by name, without the parameters that have none."""
    arguments = function.args
    positional = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    by_position = zip(reversed(positional), reversed(arguments.defaults), strict=False)
    by_name = zip((argument.arg for argument in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    return {name: default for name, default in (*by_position, *by_name) if default is not None}


class Source:
    """A module's text, which gives the exact source of each node.

    ``ast`` counts columns in UTF-8 bytes, and ends lines at ``\\n``, ``\\r`` and ``\\r\\n`` only; ``str.splitlines``
    ends them at more characters.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines of the text, without line endings."""
        return [line.encode() for line in self._text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]

    def text(self, node: ast.expr | ast.stmt, renamed: Mapping[ast.expr, str] | None = None) -> str:
        """Returns the source of ``node``, in which the text of each expression of ``renamed`` is replaced."""
        start, end = (node.lineno, node.col_offset), end_place(node)
        inside = [part for part in ast.walk(node) if part in renamed] if renamed else []
        text = ""
        for part in sorted(inside, key=lambda part: (part.lineno, part.col_offset)):  # type: ignore[attr-defined]
            assert isinstance(part, ast.expr) and renamed is not None
            if (part.lineno, part.col_offset) < start:  # inside an expression that is replaced already
                continue
            text += self._text_between(start, (part.lineno, part.col_offset)) + renamed[part]
            start = end_place(part)
        return text + self._text_between(start, end)

    def _text_between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """Returns the text between two positions, each a line (from 1) and a column in bytes."""
        first, last = start[0] - 1, end[0] - 1
        if first == last:
            return self.lines[first][start[1] : end[1]].decode()
        parts = [self.lines[first][start[1] :], *self.lines[first + 1 : last], self.lines[last][: end[1]]]
        return b"\n".join(parts).decode()

    def column(self, line: int, byte_column: int) -> int:
        """Returns a column of ``ast``, which counts bytes, in characters."""
        return len(self.lines[line - 1][:byte_column].decode())


def end_place(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Returns the line, and the column in bytes, at which a node ends."""
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def literal(expression: ast.expr | None) -> object:
    """Returns the value of a literal (a number, string, None, True, a list of these); ``...`` for no literal."""
    if expression is None:
        return ...
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ...


def is_none(expression: ast.expr | None) -> bool:
    """Whether an argument is missing or the literal None."""
    return expression is None or (isinstance(expression, ast.Constant) and expression.value is None)


_TRAILING_COMMENT = re.compile(r"\s*,?\s*(#.*)")


class ArgumentComments(NamedTuple):
    """The comments of one argument, each with its ``#``; ``behind`` is the one at the end of its last line."""

    above: tuple[str, ...] = ()
    behind: str = ""

    def attach_to(self, argument: str) -> str:
        """Returns the text of an argument with a comma and its comments, on separate lines."""
        return "\n".join([*self.above, f"{argument}, {self.behind}".rstrip()])


def comments_of_argument(source: Source, call: ast.Call, value: ast.expr) -> ArgumentComments:
    """Returns the comments of the argument of ``call`` whose value is ``value``."""
    others = [*call.args, *(keyword.value for keyword in call.keywords)]
    named = next((keyword for keyword in call.keywords if keyword.value is value), None)
    first, lines = (named or value).lineno, source.lines
    last = value.end_lineno or first
    behind = _TRAILING_COMMENT.fullmatch(lines[last - 1][value.end_col_offset or 0 :].decode().rstrip())
    above: list[str] = []
    ends = [one.end_lineno or 0 for one in others if one is not value] + [call.func.end_lineno or 0]
    at = first - 1
    if first not in ends:
        while at > 0 and at not in ends and lines[at - 1].lstrip().startswith(b"#"):
            above.insert(0, lines[at - 1].decode().strip())
            at -= 1
    return ArgumentComments((*above,), behind[1] if behind else "")
