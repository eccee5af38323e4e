"""The changes of a notebook cell by cell: what a person reads on a terminal, where JSON would hide the code."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from migrate.files.walk import NOTEBOOK
from migrate.outcome import FileChange

_CONTEXT = 3


@dataclass(frozen=True)
class CellChange:
    """One cell that changes or is new.

    Attributes:
      number: its place in the notebook as it is, from 1; None for a new cell.
      new_number: its place in the notebook as it would be.
      before: its source as it is; None for a new cell.
      after: its source as it would be.
    """

    number: int | None
    new_number: int
    before: str | None
    after: str


def is_notebook(change: FileChange) -> bool:
    """Whether a change is one of a notebook that stands there already."""
    return change.source is not None and change.path.endswith(NOTEBOOK)


def render(changes: Iterable[FileChange]) -> bytes:
    """A unified diff for each cell that changes or is new, sorted by path."""
    lines = [line for change in sorted(changes, key=lambda change: change.path) for line in _cells(change)]
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")


def _cells(change: FileChange) -> Iterator[str]:
    import difflib

    for cell in cell_changes(change):
        old, new = (None if text is None else text.split("\n") for text in (cell.before, cell.after))
        head = "/dev/null" if cell.number is None else f"{change.path}:cell {cell.number}"
        name = f"{change.path}:cell {cell.new_number}"
        yield from difflib.unified_diff(old or [], new or [], head, name, n=_CONTEXT, lineterm="")


def cell_changes(change: FileChange) -> Iterator[CellChange]:
    """The cells of a notebook that change or are new, in their order."""
    from migrate.files.notebook import Notebook

    assert change.source is not None
    before = Notebook.decode(change.path, change.source.encode())
    after = Notebook.decode(change.path, change.source.encode(change.after))
    known = {cell.source for cell in before.cells}
    added = [cell.number for cell in after.cells if cell.source not in known and cell.source.startswith("%%writefile")]
    new = set(added[: len(after.starts) - len(before.starts)])
    old = iter(before.cells)
    for cell in after.cells:
        previous = None if cell.number in new else next(old)
        if previous is None:
            yield CellChange(None, cell.number, None, cell.source)
        elif previous.source != cell.source:
            yield CellChange(previous.number, cell.number, previous.source, cell.source)


def cell_at(change: FileChange) -> list[int]:
    """For each line of a notebook's file as it was, the number of the cell that it belongs to; 0 above all cells."""
    from migrate.files.notebook import Notebook

    assert change.source is not None
    text = change.source.text
    starts = [text.count("\n", 0, start) for start in Notebook.decode(change.path, change.source.encode()).starts]
    return [bisect_right(starts, line) for line in range(text.count("\n") + 1)]
