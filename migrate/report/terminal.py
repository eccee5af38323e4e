"""Lines of styled text, in colour on a terminal and plain everywhere else, and a progress bar."""

import os
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from migrate.findings.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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


_PATIENCE = 1.0
_REFRESH = 0.1


class ProgressBar:
    """Shows what is done and to how many files; nothing during the first second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next = time.monotonic() + _PATIENCE
        self._bar: tuple[Progress, TaskID] | None = None

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Takes note that ``done`` of ``total`` files are done; ``doing`` is a word such as ``Reading``."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _REFRESH
        progress, task = self._bar = self._bar or self._start_bar()
        progress.update(task, description=doing, completed=done, total=total)
        progress.refresh()

    def close(self) -> None:
        """Takes the bar off the terminal."""
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None

    def _start_bar(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        # No refreshing thread: the run may fork its workers at any moment.
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
