"""Prints lines of styled text, in colour on a terminal and plain elsewhere, and shows a progress bar."""

import os
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from migrate.findings.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Fragment = tuple[str, str]
"""A piece of text and its rich style, such as ``bold red``; "" for none."""

Line = Sequence[Fragment]


def show(lines: Iterable[Line], stream: TextIO) -> None:
    """Writes the lines to a stream, in colour if ``is_colourful``.

    Control characters are escaped, so that a file's content cannot control the terminal or hide its text.
    """
    lines = list(lines)
    if is_colourful(stream) and any(style for line in lines for _, style in line):
        _show_in_colour(lines, stream)
    else:
        stream.write(_encodable(as_text(lines), stream))


def as_text(lines: Iterable[Line]) -> str:
    """Returns the text of the lines without styles, with control characters escaped."""
    return "".join("".join(printable(text) for text, _ in line) + "\n" for line in lines)


def is_colourful(stream: TextIO) -> bool:
    """Whether to print in colour: to a terminal that is not dumb, or anywhere with FORCE_COLOR; never with NO_COLOR."""
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


_DELAY_SECONDS = 1.0
_REFRESH_SECONDS = 0.1


class ProgressBar:
    """A bar of the files done and the files in all; invisible during the first second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next = time.monotonic() + _DELAY_SECONDS
        self._bar: tuple[Progress, TaskID] | None = None

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Shows that ``done`` of ``total`` files are done; ``doing`` is a word such as ``Reading``."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _REFRESH_SECONDS
        progress, task = self._bar = self._bar or self._start_bar()
        progress.update(task, description=doing, completed=done, total=total)
        progress.refresh()

    def close(self) -> None:
        """Removes the bar from the terminal."""
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None

    def _start_bar(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        # No thread that refreshes the bar: the run may fork its workers at any moment.
        progress = Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(file=self._stream),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        progress.start()
        return progress, progress.add_task("", total=None)
