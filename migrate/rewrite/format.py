"""New code in black's style, fitted to the place where it will stand."""

import io
import tokenize
from collections.abc import Iterator

import black

LINE_LENGTH = 88


def formatted(source: str, column: int, indent: str) -> str:
    """``source`` as black formats it for a place ``column`` characters to the right.

    Args:
      source: statements or one expression, at column 0.
      column: where the first line will begin.
      indent: the file's own indentation of one level, which replaces black's four spaces.
    """
    mode = black.Mode(line_length=max(LINE_LENGTH - column, 40))
    text = black.format_str(source, mode=mode)
    if indent == "    ":
        return text
    inside = set(_lines_inside_strings(text))
    lines = io.StringIO(text)
    return "".join(line if number in inside else _indented(line, indent) for number, line in enumerate(lines, 1))


def hung(text: str, columns: int) -> str:
    """An expression of several lines with all but the first moved to the right."""
    if columns == 0 or "\n" not in text:
        return text
    inside = set(_lines_inside_strings(text + "\n"))
    lines = text.split("\n")
    moved = [line if number in inside else " " * columns + line for number, line in enumerate(lines[1:], 2)]
    return "\n".join([lines[0], *moved])


def _indented(line: str, indent: str) -> str:
    code = line.lstrip(" ")
    levels, rest = divmod(len(line) - len(code), 4)
    return indent * levels + " " * rest + code


def _lines_inside_strings(text: str) -> Iterator[int]:
    """The lines that begin inside a string: their indentation is data."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE"):
            yield from range(token.start[0] + 1, token.end[0] + 1)
