"""The changes of a run as a unified diff, byte for byte what ``git apply`` and ``patch -p1`` take."""

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from migrate.edits.file_change import FileChange
from migrate.files.matching import CONTEXT, hunks_of, place, signed_lines, unified_lines
from migrate.files.repository import repository
from migrate.files.sources import NOTEBOOK
from migrate.findings.printable import printable
from migrate.report.terminal import Line

_STYLES = {"-": "red", "+": "green", "@": "cyan"}
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def render(changes: Iterable[FileChange]) -> bytes:
    """The diff of all changes, by path, the runtime files last; each file stands there in its own encoding.

    There are no ``diff --git`` lines: git takes the paths under them from the root of the repository, and would pass
    over every file when ``git apply`` runs in a directory below it. Without them it takes paths as they were given.
    """
    changes = list(changes)
    generated = _runtime_paths(changes)
    changes.sort(key=lambda change: (change.path in generated, change.path))
    base = applied_in(changes)
    return b"".join(_file_diff(change, base) for change in changes)


def render_for_reader(changes: Iterable[FileChange]) -> bytes:
    """The diff for a person: ``render``'s, but a notebook's stands there cell by cell, as code and not JSON."""
    changes = list(changes)
    notebooks = [change for change in changes if is_notebook(change)]
    return render(change for change in changes if change not in notebooks) + render_cells(notebooks)


def render_for_terminal(changes: Iterable[FileChange]) -> bytes:
    """``render_for_reader``'s diff with the runtime files last, in one line a folder."""
    changes = list(changes)
    generated = _runtime_paths(changes)
    modules = sorted((change for change in changes if change.path in generated), key=lambda change: change.path)
    own = render_for_reader(change for change in changes if change.path not in generated)
    return own + "".join(_summarize_folders(modules)).encode(errors="surrogateescape")


def _runtime_paths(changes: Iterable[FileChange]) -> set[str]:
    return {path for change in changes for path in change.needs}


def _summarize_folders(modules: Sequence[FileChange]) -> Iterator[str]:
    """What comes into each runtime folder."""
    for folder, inside in groupby(modules, key=lambda module: os.path.dirname(module.path)):
        files = list(inside)
        lines = sum(len(_lines(_bytes(module, module.after))) for module in files)
        what = f"{len(files)} runtime {'file' if len(files) == 1 else 'files'}, {lines} lines"
        yield f"+++ {printable(os.path.join(folder, ''), keep='')}: {what}, a pipe shows them\n"


def applied_in(changes: Iterable[FileChange]) -> str:
    """The directory that the diff's paths are relative to, and so the one to apply it in.

    It is the current directory where all files lie below it, else the root of the git repository around it, else the
    root of the file system.
    """
    paths = [os.path.realpath(change.path) for change in changes]
    here = os.path.realpath(os.curdir)
    for directory in (here, repository(here)):
        if directory is not None and all(os.path.commonpath((directory, path)) == directory for path in paths):
            return directory
    return os.path.abspath(os.sep)


def _file_diff(change: FileChange, base: str) -> bytes:
    before = b"" if change.before is None else _bytes(change, change.before)
    after = _bytes(change, change.after)
    if before == after:
        return b""
    # git refuses to change a symlink through its name: the file that it leads to is named instead.
    path = os.fsencode(os.path.relpath(os.path.realpath(change.path), base).replace(os.sep, "/"))
    old_name = b"/dev/null" if change.before is None else _quote_path(b"a/" + path)
    names = b"--- " + old_name + b"\n+++ " + _quote_path(b"b/" + path) + b"\n"
    cells = cell_at(change) if is_notebook(change) else ()
    return names + b"".join(_hunks(_lines(before), _lines(after), cells))


def _bytes(change: FileChange, text: str) -> bytes:
    return text.encode() if change.source is None else change.source.encode(text)


def _lines(content: bytes) -> list[bytes]:
    """The lines with their ends, cut where git cuts them: after ``\\n`` alone."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _hunks(before: Sequence[bytes], after: Sequence[bytes], cells: Sequence[int]) -> Iterator[bytes]:
    """The hunks; behind the place of each, as git puts a function there, the notebook's cell that it begins in."""
    for hunk in hunks_of(before, after, CONTEXT):
        first = next(start for tag, start, *_ in hunk if tag != "equal")
        section = f" cell {cells[first]}" if cells else ""
        yield f"@@ {place(hunk)} @@{section}\n".encode("ascii")
        for sign, line in signed_lines(hunk, before, after):
            end = b"" if line.endswith(b"\n") else b"\n\\ No newline at end of file\n"
            yield sign.encode("ascii") + line + end


def _quote_path(name: bytes) -> bytes:
    """A name in git's manner: in quotes with escapes where a byte is not plain, with a tab behind it after a space."""
    if all(32 <= byte < 127 and byte not in b'"\\' for byte in name):
        return name + b"\t" if b" " in name else name
    escaped = "".join(_ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in name)
    return f'"{escaped}"'.encode("ascii")


def style_diff(patch: bytes) -> Iterator[Line]:
    """The lines of a diff with the usual colours, for a terminal: it is read there, and applied from a pipe."""
    for line in patch.decode("utf-8", "replace").split("\n")[:-1]:
        style = "bold" if line.startswith(("--- ", "+++ ")) else _STYLES.get(line[:1], "")
        yield [(line, style)]


class CellChange(NamedTuple):
    number: int
    before: str
    after: str


def is_notebook(change: FileChange) -> bool:
    """Whether a change is one of a notebook that stands there already."""
    return change.source is not None and change.path.endswith(NOTEBOOK)


def render_cells(changes: Iterable[FileChange]) -> bytes:
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
