"""The changes of a run as a unified diff, byte for byte what ``git apply`` and ``patch -p1`` take."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from migrate.edits.file_change import FileChange
from migrate.files.matching import CONTEXT, hunks_of, place, signed_lines
from migrate.files.repository import repository
from migrate.findings.printable import printable
from migrate.report import notebook_diff
from migrate.report.terminal import Line

_STYLES = {"-": "red", "+": "green", "@": "cyan"}
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def render(changes: Iterable[FileChange]) -> bytes:
    """The diff of all changes, by path, the helpers last; each file stands there in its own encoding.

    There are no ``diff --git`` lines: git takes the paths under them from the root of the repository, and would pass
    over every file when ``git apply`` runs in a directory below it. Without them it takes paths as they were given.
    """
    changes = list(changes)
    generated = _helper_paths(changes)
    changes.sort(key=lambda change: (change.path in generated, change.path))
    base = applied_in(changes)
    return b"".join(_file_diff(change, base) for change in changes)


def for_reader(changes: Iterable[FileChange]) -> bytes:
    """The diff for a person: ``render``'s, but a notebook's stands there cell by cell, as code and not JSON."""
    changes = list(changes)
    notebooks = [change for change in changes if notebook_diff.is_notebook(change)]
    return render(change for change in changes if change not in notebooks) + notebook_diff.render(notebooks)


def for_terminal(changes: Iterable[FileChange]) -> bytes:
    """``for_reader``'s diff with the helpers last, in one line a folder."""
    changes = list(changes)
    generated = _helper_paths(changes)
    modules = sorted((change for change in changes if change.path in generated), key=lambda change: change.path)
    own = for_reader(change for change in changes if change.path not in generated)
    return own + "".join(_in_lines(modules)).encode(errors="surrogateescape")


def _helper_paths(changes: Iterable[FileChange]) -> set[str]:
    """The paths of the helpers."""
    return {path for change in changes for path in change.needs}


def _in_lines(modules: Sequence[FileChange]) -> Iterator[str]:
    """What comes into each folder of helpers."""
    for folder, inside in groupby(modules, key=lambda module: os.path.dirname(module.path)):
        files = list(inside)
        lines = sum(len(_lines(_bytes(module, module.after))) for module in files)
        what = f"{len(files)} {'file' if len(files) == 1 else 'files'} of helpers, {lines} lines"
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
    cells = notebook_diff.cell_at(change) if notebook_diff.is_notebook(change) else ()
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
        yield from (_line(sign.encode("ascii"), line) for sign, line in signed_lines(hunk, before, after))


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"


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
