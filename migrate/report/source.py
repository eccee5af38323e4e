"""The lines of the files that a report quotes."""

from collections.abc import Iterable
from typing import Protocol

from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.outcome import FileChange

STDIN = "<stdin>"
"""The path under which findings and changes speak of standard input."""


class LineReader(Protocol):
    """A function from a path, and the number of a notebook's cell or None, to the lines without their ends."""

    def __call__(self, path: str, cell: int | None = None, /) -> list[str]: ...


def line_reader(changes: Iterable[FileChange], stdin: bytes | None) -> LineReader:
    """A function that gives the lines of a file, or of one cell of a notebook, as the run read them.

    Args:
      changes: the changes of the run: their files may have been written since.
      stdin: what standard input held where the run read it.

    Returns:
      A function from a path, and a cell's number or None, to the lines without their ends; none where it cannot be
      read.
    """
    sources = {change.path: change.source for change in changes}

    def lines_of(path: str, cell: int | None = None, /) -> list[str]:
        source = sources.get(path)
        if cell is not None:
            return _cell_lines(path, cell, read(path) if source is None else source.encode())
        if source is not None:
            return source.lines()
        try:
            return _lines(path, stdin if path == STDIN and stdin is not None else read(path))
        except Unreadable:
            return []

    return lines_of


def _cell_lines(path: str, number: int, data: bytes) -> list[str]:
    from migrate.files.notebook import Notebook

    try:
        cells = Notebook.decode(path, data).cells
    except Unreadable:
        return []
    return next((cell.source.split("\n") for cell in cells if cell.number == number), [])


def _lines(path: str, data: bytes) -> list[str]:
    try:
        return SourceText.decode(path, data).lines()
    except Unreadable:
        # The frame shows where the text breaks off.
        return data.decode("utf-8", "replace").splitlines()
