"""The comments that belong to one argument of a call: on the lines above it, and behind it on its line."""

import ast
import re
from typing import NamedTuple

from migrate.analysis.source.arguments import Source

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
