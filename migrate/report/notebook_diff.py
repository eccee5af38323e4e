"""The changes of a notebook cell by cell: what a person reads on a terminal, where JSON would hide the code."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from migrate.files.walk import NOTEBOOK
from migrate.outcome import FileChange

if TYPE_CHECKING:
    from migrate.files.notebook import Notebook

_CONTEXT = 3


def is_notebook(change: FileChange) -> bool:
    """Whether a change is one of a notebook that stands there already."""
    return change.source is not None and change.path.endswith(NOTEBOOK)


def render(changes: Iterable[FileChange]) -> bytes:
    """A unified diff for each cell that changes or is new, sorted by path."""
    lines = [line for change in sorted(changes, key=lambda change: change.path) for line in _cells(change)]
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")


def _cells(change: FileChange) -> Iterator[str]:
    import difflib

    from migrate.files.notebook import Notebook

    assert change.source is not None
    before = Notebook.decode(change.path, change.source.encode())
    after = Notebook.decode(change.path, change.source.encode(change.after))
    for number, old, new in _pairs(before, after):
        name = f"{change.path}:cell {number}"
        head = name if old is not None else "/dev/null"
        yield from difflib.unified_diff(
            [] if old is None else old.split("\n"), new.split("\n"), head, name, n=_CONTEXT, lineterm=""
        )


def _pairs(before: "Notebook", after: "Notebook") -> Iterator[tuple[int, str | None, str]]:
    """Each changed cell's number in the new notebook, its old text (None for a new cell) and its new one."""
    known = {cell.source for cell in before.cells}
    added = [cell.number for cell in after.cells if cell.source not in known and cell.source.startswith("%%writefile")]
    new = set(added[: len(after.starts) - len(before.starts)])
    old = iter(before.cells)
    for cell in after.cells:
        previous = None if cell.number in new else next(old).source
        if previous != cell.source:
            yield cell.number, previous, cell.source


def cell_at(change: FileChange) -> list[int]:
    """For each line of a notebook's file as it was, the number of the cell that it belongs to; 0 above all cells."""
    from migrate.files.notebook import Notebook

    assert change.source is not None
    text = change.source.text
    starts = [text.count("\n", 0, start) for start in Notebook.decode(change.path, change.source.encode()).starts]
    return [bisect_right(starts, line) for line in range(text.count("\n") + 1)]
