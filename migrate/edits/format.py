"""New code in black's style, fitted to the place where it will stand."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import lru_cache

import black

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
