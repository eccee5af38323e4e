"""New code in black's style, fitted to the place where it will stand."""

import io

import black

from migrate.rewrite.indent import lines_inside_strings

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
    inside = set(lines_inside_strings(text))
    lines = io.StringIO(text)
    return "".join(line if number in inside else _indented(line, indent) for number, line in enumerate(lines, 1))


def _indented(line: str, indent: str) -> str:
    code = line.lstrip(" ")
    levels, rest = divmod(len(line) - len(code), 4)
    return indent * levels + " " * rest + code
