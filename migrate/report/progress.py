"""A progress bar for a run that takes more than a second on a terminal."""

import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TimeRemainingColumn,
        )

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
