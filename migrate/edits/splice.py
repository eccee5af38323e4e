"""Statements in which only names change, spliced into their lines: for these LibCST has nothing to decide."""

import re
from collections.abc import Sequence

from migrate.edits.plan import Edit, ReplaceExpression
from migrate.edits.statements import LINE, Statement

_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_FORMATTED = re.compile(r"""\b(?:[fF][rR]?|[rR][fF])["']""")
"""Python up to 3.11 does not say where in the file the parts of a formatted string stand."""


def replace_names(statement: Statement, edits: Sequence[Edit]) -> Statement | None:
    """A statement with some dotted names in the place of others; None where an edit is of another kind."""
    longest: dict[tuple[int, int], tuple[int, str]] = {}  # names that stand in one another begin at one place
    for edit in edits:
        span = edit.span
        if (
            not isinstance(edit, ReplaceExpression)
            or span.line != span.end_line
            or not _NAME.fullmatch(edit.expression)
        ):
            return None
        known = longest.get((span.line, span.column))
        if known is None or known[0] <= span.end_column:
            longest[span.line, span.column] = span.end_column, edit.expression
    if _FORMATTED.search(statement.code):
        return None
    lines, first = LINE.findall(statement.code), statement.first + len(statement.above)
    for (number, column), (end, new) in sorted(longest.items(), reverse=True):
        line = lines[number - first] if 0 <= number - first < len(lines) else ""
        if not _NAME.fullmatch(line[column:end]):
            return None
        lines[number - first] = line[:column] + new + line[end:]
    return Statement(statement.above, "".join(lines), statement.first)
