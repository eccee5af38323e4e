"""New code moved to the right, where the lines of a string keep their place."""

import io
import tokenize
from collections.abc import Iterator


def hung(text: str, columns: int) -> str:
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
