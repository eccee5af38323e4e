"""The layout of statements: their lines as black has them, and the comments and blank lines around them."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from functools import lru_cache

import black
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


LINE_LENGTH = 88
_WITHOUT_LAYOUT = re.compile(r"(?:import |from \w+ import )?[^\W\d]\w*(\.[^\W\d]\w*)*\n?")
"""A dotted name or its import, which stands in one way only."""


@lru_cache(maxsize=1024)
def format_source(source: str, column: int, indent: str, *, is_users: bool = False) -> str:
    """``source`` as black formats it for a place ``column`` characters to the right.

    Args:
      source: statements or one expression, at column 0.
      column: where the first line will begin.
      indent: the file's own indentation of one level, which replaces black's four spaces.
      is_users: whether it is the user's own code, whose quotes stay.

    Raises:
      SyntaxError: if it is no Python.
    """
    if _WITHOUT_LAYOUT.fullmatch(source):
        return source.rstrip("\n") + "\n"
    ast.parse(source)  # refuses at once what black and LibCST would take minutes for: brackets more than 200 deep
    mode = black.Mode(line_length=max(LINE_LENGTH - column, 40), string_normalization=not is_users)
    text = black.format_str(source, mode=mode)
    if indent == "    ":
        return text
    inside = set(lines_inside_strings(text))
    lines = io.StringIO(text)
    return "".join(line if number in inside else _indent_line(line, indent) for number, line in enumerate(lines, 1))


def _indent_line(line: str, indent: str) -> str:
    code = line.lstrip(" ")
    levels, rest = divmod(len(line) - len(code), 4)
    return indent * levels + " " * rest + code


def with_hanging_indent(text: str, columns: int) -> str:
    """Code of several lines with all but the first moved to the right."""
    if columns == 0 or "\n" not in text:
        return text
    inside = set(lines_inside_strings(text + "\n"))
    lines = text.split("\n")
    moved = [line if number in inside else " " * columns + line for number, line in enumerate(lines[1:], 2)]
    return "\n".join([lines[0], *moved])


def lines_inside_strings(text: str) -> Iterator[int]:
    """The lines that begin inside a string: their indentation is data."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE"):
            yield from range(token.start[0] + 1, token.end[0] + 1)
