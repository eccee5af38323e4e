"""Reads the lines of files that a report quotes, and the places of findings in notebooks."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Protocol

from migrate.edits.file_change import FileChange
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.findings.finding import Finding, Span

if TYPE_CHECKING:
    from migrate.files.notebook import Notebook


class LineReader(Protocol):
    """A function that returns the lines, without their ends, of a file or of a notebook's cell with this number."""

    def __call__(self, path: str, cell: int | None = None, /) -> list[str]: ...


def line_reader(changes: Iterable[FileChange]) -> LineReader:
    """Returns a function for the lines of a file, or of a notebook's cell, as the run has read them."""
    sources = {change.path: change.source for change in changes}

    def lines_of(path: str, cell: int | None = None, /) -> list[str]:
        source = sources.get(path)
        if source is not None and cell is None:
            return source.lines()
        try:
            if cell is not None:
                return _cell_lines(path, cell, read(path) if source is None else source.encode())
            return _lines(path, read(path))
        except Unreadable:
            return []

    return lines_of


def span_reader(changes: Iterable[FileChange]) -> Callable[[Finding], Span]:
    """Returns a function for the span of a finding in its file; for one in a cell, the span in the notebook's JSON."""
    sources = {change.path: change.source for change in changes}

    @cache
    def notebook(path: str) -> "Notebook | None":
        source = sources.get(path)
        try:
            return _notebook(path, read(path) if source is None else source.encode())
        except Unreadable:
            return None

    def span_of(finding: Finding) -> Span:
        if finding.cell is None:
            return finding.span
        found = notebook(finding.path)
        if found is None or finding.cell not in (cell.number for cell in found.cells):
            return Span(1, 0, 1, 0)
        return found.file_span(finding.cell, finding.span)

    return span_of


def _notebook(path: str, data: bytes) -> "Notebook | None":
    from migrate.files.notebook import Notebook

    try:
        return Notebook.decode(path, data)
    except Unreadable:
        return None


def _cell_lines(path: str, number: int, data: bytes) -> list[str]:
    notebook = _notebook(path, data)
    cells = notebook.cells if notebook is not None else ()
    return next((cell.source.split("\n") for cell in cells if cell.number == number), [])


def _lines(path: str, data: bytes) -> list[str]:
    try:
        return SourceText.decode(path, data).lines()
    except Unreadable:
        # The quoted lines show where decoding failed.
        return data.decode("utf-8", "replace").splitlines()
