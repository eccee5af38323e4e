"""Lines of styled text: in colour on a terminal, plain everywhere else."""

import os
from collections.abc import Iterable, Sequence
from typing import TextIO

from migrate.findings.printable import printable

Fragment = tuple[str, str]
"""A piece of text and its style in rich's words, such as ``bold red``; empty for none."""

Line = Sequence[Fragment]


def show(lines: Iterable[Line], stream: TextIO) -> None:
    """Writes the lines, in colour where the stream is a terminal and the user did not refuse colour.

    Control characters are escaped, so that a file's content cannot steer the terminal or show another text than it is.
    """
    lines = list(lines)
    if is_colourful(stream) and any(style for line in lines for _, style in line):
        _show_in_colour(lines, stream)
    else:
        stream.write(_encodable(plain(lines), stream))


def plain(lines: Iterable[Line]) -> str:
    """The text of the lines without their styles, with control characters escaped."""
    return "".join("".join(printable(text) for text, _ in line) + "\n" for line in lines)


def is_colourful(stream: TextIO) -> bool:
    """Whether the stream takes colour: a terminal that is not dumb, or any with FORCE_COLOR; none with NO_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _show_in_colour(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for line in lines:
        fragments = ((_encodable(printable(text), stream), style) for text, style in line)
        console.print(Text.assemble(*fragments))
