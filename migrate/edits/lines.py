"""The layout of statements: formatting with black, and the comments and blank lines above them."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from functools import lru_cache

import libcst as cst

Line = cst.SimpleStatementLine | cst.BaseCompoundStatement


def suite_header(suite: cst.SimpleStatementSuite) -> cst.TrailingWhitespace:
    """Returns the comment of ``if x: a  # comment`` for the end of the first line, once the suite is a block."""
    comment = suite.trailing_whitespace.comment
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), comment) if comment else cst.TrailingWhitespace()


def comments_of(node: cst.CSTNode) -> list[str]:
    """Returns all comments of a node, those above it included."""
    found = _Comments()
    node.visit(found)
    return found.values


def detached_comments(line: Line) -> list[str]:
    """Returns the comments above a statement that are not about it: a blank line follows, or they are markers."""
    above = [one.comment.value if one.comment is not None else "" for one in line.leading_lines]
    blank = max((index for index, comment in enumerate(above) if not comment), default=-1)
    return [comment for index, comment in enumerate(above) if comment and (index < blank or is_marker(comment))]


def markers_above(line: Line) -> list[str]:
    """Returns the comments above a statement that mark a place in the file, such as the start of a region."""
    return [one.comment.value for one in line.leading_lines if one.comment is not None and is_marker(one.comment.value)]


def is_marker(comment: str) -> bool:
    """Whether a comment marks a place for an editor or a tool, so that its order among the lines matters."""
    return _MARKER.match(comment) is not None


_MARKER = re.compile(
    r"#\s*(end\s*)?region\b|#\s*</?editor-fold|#\s*%%|#\s*\{\{\{|#\s*\}\}\}|#\s*\[(START|END)\b"
    r"|#\s*(fmt|yapf|isort|black|ruff|pylint|mypy|type)\s*:\s*(on|off|skip|enable|disable|split)\b",
    re.IGNORECASE,
)


def blank_lines(line: Line, column: int) -> list[cst.EmptyLine]:
    blanks = len(line.leading_lines) if column == 0 else min(1, len(line.leading_lines))
    return [cst.EmptyLine(indent=False)] * blanks


def join_lines(pending: Sequence[cst.EmptyLine], lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Returns the lines of removed statements, then a statement's own, with one blank line at most between."""
    if lines and lines[0].comment is None and all(line.comment is None for line in pending[-1:]):
        pending = pending[:-1]
    return [*pending, *lines]


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
_NAME = r"[^\W\d]\w*"
_DOTTED, _IMPORTED = rf"{_NAME}(?:\.{_NAME})*", rf"{_NAME}(?: as {_NAME})?"
_IMPORT = rf"import {_DOTTED}(?: as {_NAME})?|from \.*{_DOTTED} import {_IMPORTED}(?:, {_IMPORTED})*"
_LINE = rf'(?:{_IMPORT}|{_DOTTED}(?:\(\))?|"\w+")'
_SETTLED = re.compile(rf"{_LINE}(?:\n\n{_LINE})*\n?", re.ASCII)
"""Imports, names, calls without arguments and words in quotes, which black leaves as they are where they fit."""


@lru_cache(maxsize=1024)
def format_source(source: str, column: int, indent: str, *, is_users: bool = False) -> str:
    """Returns ``source`` as black formats it, for a line that is indented by ``column`` characters.

    Args:
      source: statements or one expression, at column 0.
      column: where the first line will begin.
      indent: the file's own indentation of one level, which replaces black's four spaces.
      is_users: whether it is the user's own code, whose quotes must not change.

    Raises:
      SyntaxError: if it is no valid Python.
    """
    width = max(LINE_LENGTH - column, 40)
    if _SETTLED.fullmatch(source) and max(map(len, source.split("\n"))) <= width:
        return source.rstrip("\n") + "\n"
    import black  # half of all files that change need it

    ast.parse(source)  # fails at once for brackets more than 200 deep, on which black and LibCST spend minutes
    text = black.format_str(source, mode=black.Mode(line_length=width, string_normalization=not is_users))
    if indent == "    ":
        return text
    inside = set(lines_inside_strings(text))
    lines = io.StringIO(text)
    return "".join(line if number in inside else _indent_line(line, indent) for number, line in enumerate(lines, 1))


def _indent_line(line: str, indent: str) -> str:
    code = line.lstrip(" ")
    levels, rest = divmod(len(line) - len(code), 4)
    return indent * levels + " " * rest + code


def add_hanging_indent(text: str, columns: int) -> str:
    """Returns code with all lines but the first moved ``columns`` to the right."""
    if columns == 0 or "\n" not in text:
        return text
    inside = set(lines_inside_strings(text + "\n"))
    lines = text.split("\n")
    moved = [line if number in inside else " " * columns + line for number, line in enumerate(lines[1:], 2)]
    return "\n".join([lines[0], *moved])


def lines_inside_strings(text: str) -> Iterator[int]:
    """Yields the numbers of the lines that begin inside a string, where indentation is data."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE"):
            yield from range(token.start[0] + 1, token.end[0] + 1)
