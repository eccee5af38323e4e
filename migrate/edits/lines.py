"""The layout of statements: comments and blank lines around those that come, stay and go."""

import re
from collections.abc import Sequence

import libcst as cst

Line = cst.SimpleStatementLine | cst.BaseCompoundStatement


def header_of(suite: cst.SimpleStatementSuite) -> cst.TrailingWhitespace:
    """The comment of a one-line suite, for the line of its block's colon."""
    comment = suite.trailing_whitespace.comment
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), comment) if comment else cst.TrailingWhitespace()


def comments_of(node: cst.CSTNode) -> list[str]:
    """All comments of a statement, those above it included."""
    found = _Comments()
    node.visit(found)
    return found.values


def comments_apart(line: Line) -> list[str]:
    """The comments above a statement that are not about it: a blank line sets them apart, or they mark a place."""
    above = [one.comment.value if one.comment is not None else "" for one in line.leading_lines]
    blank = max((index for index, comment in enumerate(above) if not comment), default=-1)
    return [comment for index, comment in enumerate(above) if comment and (index < blank or is_marker(comment))]


def markers_above(line: Line) -> list[str]:
    """The comments above a statement that mark a place of the file, such as the begin of a region."""
    return [one.comment.value for one in line.leading_lines if one.comment is not None and is_marker(one.comment.value)]


def is_marker(comment: str) -> bool:
    """Whether a comment marks a place for an editor or a tool, and so has to stay in its order."""
    return _MARKER.match(comment) is not None


_MARKER = re.compile(
    r"#\s*(end\s*)?region\b|#\s*</?editor-fold|#\s*%%|#\s*\{\{\{|#\s*\}\}\}|#\s*\[(START|END)\b"
    r"|#\s*(fmt|yapf|isort|black|ruff|pylint|mypy|type)\s*:\s*(on|off|skip|enable|disable|split)\b",
    re.IGNORECASE,
)


def blank_lines(line: Line, column: int) -> list[cst.EmptyLine]:
    blanks = len(line.leading_lines) if column == 0 else min(1, len(line.leading_lines))
    return [cst.EmptyLine(indent=False)] * blanks


def joined_lines(pending: Sequence[cst.EmptyLine], own: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """The lines above a statement, below those of statements that went; one blank line is enough between them."""
    if own and own[0].comment is None and all(line.comment is None for line in pending[-1:]):
        pending = pending[:-1]
    return [*pending, *own]


def blank_count(lines: Sequence[cst.EmptyLine]) -> int:
    return next((index for index, line in enumerate(lines) if line.comment is not None), len(lines))


def comment_line(comment: str) -> cst.EmptyLine:
    return cst.EmptyLine(comment=cst.Comment(comment))


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.values: list[str] = []

    def visit_Comment(self, node: cst.Comment) -> None:
        self.values.append(node.value)
