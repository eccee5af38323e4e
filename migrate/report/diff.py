"""Renders the changes of a run as a unified diff for ``git apply`` and ``patch -p1``."""

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from migrate.edits.file_change import FileChange
from migrate.files.matching import CONTEXT, diff_hunks, hunk_place, signed_lines, unified_lines
from migrate.files.repository import repository
from migrate.files.sources import NOTEBOOK
from migrate.findings.printable import printable
from migrate.report.terminal import Line

_STYLES = {"-": "red", "+": "green", "@": "cyan"}
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def render(changes: Iterable[FileChange]) -> bytes:
    """Returns the diff of all changes, sorted by path with the runtime files last; each file keeps its encoding.

    It has no ``diff --git`` lines: git would take the paths as relative to the root of the repository, and ignore every
    file when ``git apply`` runs in a directory below it.
    """
    changes = list(changes)
    generated = _runtime_paths(changes)
    changes.sort(key=lambda change: (change.path in generated, change.path))
    base = base_directory(changes)
    return b"".join(_file_diff(change, base) for change in changes)


def render_for_reader(changes: Iterable[FileChange]) -> bytes:
    """Returns the diff for a person: that of ``render``, but of a notebook's cells as code instead of its JSON."""
    changes = list(changes)
    notebooks = [change for change in changes if is_notebook(change)]
    return render(change for change in changes if change not in notebooks) + render_cells(notebooks)


def render_for_terminal(changes: Iterable[FileChange]) -> bytes:
    """Returns the diff of ``render_for_reader``, with one line for all runtime files of a folder at the end."""
    changes = list(changes)
    generated = _runtime_paths(changes)
    modules = sorted((change for change in changes if change.path in generated), key=lambda change: change.path)
    own = render_for_reader(change for change in changes if change.path not in generated)
    return own + "".join(_summarize_folders(modules)).encode(errors="surrogateescape")


def _runtime_paths(changes: Iterable[FileChange]) -> set[str]:
    return {path for change in changes for path in change.needs}


def _summarize_folders(modules: Sequence[FileChange]) -> Iterator[str]:
    """Yields a line on the files of each runtime folder."""
    for folder, inside in groupby(modules, key=lambda module: os.path.dirname(module.path)):
        files = list(inside)
        lines = sum(len(_lines(_bytes(module, module.after))) for module in files)
        what = f"{len(files)} runtime {'file' if len(files) == 1 else 'files'}, {lines} lines"
        yield f"+++ {printable(os.path.join(folder, ''), keep='')}: {what}, a pipe shows them\n"


def base_directory(changes: Iterable[FileChange]) -> str:
    """Returns the directory that the diff's paths are relative to, in which it can be applied.

    It is the current directory if all files are below it, else the root of its git repository if they are below that,
    else the root of the file system.
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
    # git refuses to change a file by the name of a symbolic link, so the diff names its target.
    path = os.fsencode(os.path.relpath(os.path.realpath(change.path), base).replace(os.sep, "/"))
    old_name = b"/dev/null" if change.before is None else _quote_path(b"a/" + path)
    names = b"--- " + old_name + b"\n+++ " + _quote_path(b"b/" + path) + b"\n"
    cells = cells_by_line(change) if is_notebook(change) else ()
    return names + b"".join(_hunks(_lines(before), _lines(after), cells))


def _bytes(change: FileChange, text: str) -> bytes:
    return text.encode() if change.source is None else change.source.encode(text)


def _lines(content: bytes) -> list[bytes]:
    """Returns the lines with their ends, split as by git: only after ``\\n``."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _hunks(before: Sequence[bytes], after: Sequence[bytes], cells: Sequence[int]) -> Iterator[bytes]:
    """Yields the lines of all hunks; the header of each names the notebook's cell where git would name a function."""
    for hunk in diff_hunks(before, after, CONTEXT):
        first = next(start for tag, start, *_ in hunk if tag != "equal")
        section = f" cell {cells[first]}" if cells else ""
        yield f"@@ {hunk_place(hunk)} @@{section}\n".encode("ascii")
        for sign, line in signed_lines(hunk, before, after):
            end = b"" if line.endswith(b"\n") else b"\n\\ No newline at end of file\n"
            yield sign.encode("ascii") + line + end


def _quote_path(name: bytes) -> bytes:
    """Returns a name as git writes it: quoted if it has special bytes, with a final tab if it has a space."""
    if all(32 <= byte < 127 and byte not in b'"\\' for byte in name):
        return name + b"\t" if b" " in name else name
    escaped = "".join(_ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in name)
    return f'"{escaped}"'.encode("ascii")


def style_diff(patch: bytes) -> Iterator[Line]:
    """Yields the lines of a diff with the usual colours, for reading in a terminal."""
    for line in patch.decode("utf-8", "replace").split("\n")[:-1]:
        style = "bold" if line.startswith(("--- ", "+++ ")) else _STYLES.get(line[:1], "")
        yield [(line, style)]


class CellChange(NamedTuple):
    number: int
    before: str
    after: str


def is_notebook(change: FileChange) -> bool:
    """Whether a change is one of an existing notebook."""
    return change.source is not None and change.path.endswith(NOTEBOOK)


def render_cells(changes: Iterable[FileChange]) -> bytes:
    """Returns a unified diff for each cell that changes, sorted by path."""
    lines: list[str] = []
    for change in sorted(changes, key=lambda change: change.path):
        for cell in cell_changes(change):
            name = f"{change.path}:cell {cell.number}"
            lines += unified_lines(cell.before.split("\n"), cell.after.split("\n"), name, name)
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")


def cell_changes(change: FileChange) -> Iterator[CellChange]:
    """Yields the cells of a notebook that change, in order."""
    from migrate.files.notebook import Notebook

    assert change.source is not None
    before = Notebook.decode(change.path, change.source.encode())
    after = Notebook.decode(change.path, change.source.encode(change.after))
    for old, new in zip(before.cells, after.cells, strict=True):
        if old.source != new.source:
            yield CellChange(old.number, old.source, new.source)


def cells_by_line(change: FileChange) -> list[int]:
    """Returns, for each line of a notebook's old file, the number of its cell; 0 above all cells."""
    from migrate.files.notebook import Notebook

    assert change.source is not None
    text = change.source.text
    starts = [text.count("\n", 0, start) for start in Notebook.decode(change.path, change.source.encode()).starts]
    return [bisect_right(starts, line) for line in range(text.count("\n") + 1)]
