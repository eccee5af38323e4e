"""New code in black's style, fitted to the place where it will stand."""

import re

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
    return re.sub(r"^(?:    )+", lambda spaces: indent * (len(spaces[0]) // 4), text, flags=re.MULTILINE)
