"""The changes of a notebook cell by cell: what a person reads on a terminal, where JSON would hide the code."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from migrate.edits.file_change import FileChange
from migrate.files.matching import unified_lines
from migrate.files.sources import NOTEBOOK


@dataclass(frozen=True)
class CellChange:
    """One cell that changes."""

    number: int
    before: str
    after: str


def is_notebook(change: FileChange) -> bool:
    """Whether a change is one of a notebook that stands there already."""
    return change.source is not None and change.path.endswith(NOTEBOOK)


def render(changes: Iterable[FileChange]) -> bytes:
    """A unified diff for each cell that changes, sorted by path."""
    lines = [line for change in sorted(changes, key=lambda change: change.path) for line in _cells(change)]
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")


def _cells(change: FileChange) -> Iterator[str]:
    for cell in cell_changes(change):
        name = f"{change.path}:cell {cell.number}"
        old, new = cell.before.split("\n"), cell.after.split("\n")
        yield from unified_lines(old, new, name, name)


def cell_changes(change: FileChange) -> Iterator[CellChange]:
    """The cells of a notebook that change, in their order."""
    from migrate.files.notebook import Notebook

    assert change.source is not None
    before = Notebook.decode(change.path, change.source.encode())
    after = Notebook.decode(change.path, change.source.encode(change.after))
    for old, new in zip(before.cells, after.cells, strict=True):
        if old.source != new.source:
            yield CellChange(old.number, old.source, new.source)


def cell_at(change: FileChange) -> list[int]:
    """For each line of a notebook's file as it was, the number of the cell that it belongs to; 0 above all cells."""
    from migrate.files.notebook import Notebook

    assert change.source is not None
    text = change.source.text
    starts = [text.count("\n", 0, start) for start in Notebook.decode(change.path, change.source.encode()).starts]
    return [bisect_right(starts, line) for line in range(text.count("\n") + 1)]
