"""The changes of a runtime folder: files that are added, and files of an earlier release that are renewed."""

import os
import posixpath
import re
from collections.abc import Iterable

from migrate.edits.file_change import FileChange
from migrate.files.boundary import Boundary
from migrate.files.read import read, regular_bytes
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable, trouble
from migrate.files.write import TEMPORARY_PREFIX
from migrate.findings.finding import Finding
from migrate.findings.invocation import program
from migrate.records import dataclass, field
from migrate.runtime_files import folder, package
from migrate.runtime_files.package import Stamp, content, read_stamp

_PLACE = "is where the generated recovery code would be written"


def paths(folder: str, names: Iterable[str]) -> tuple[str, ...]:
    """Returns the paths of the files in a runtime folder that a program needs for some names of the package."""
    return tuple(_path(folder, file) for file in package.files_of_names(names))


def _path(folder: str, file: str) -> str:
    return os.path.join(folder, *f"{file}.py".split("/"))


def changes(
    folder: str, names: Iterable[str], boundary: Boundary | None = None, texts: Iterable[str] = (), reads: bool = True
) -> list[FileChange] | Finding:
    """Returns the files to write so that a folder has some names of the package, or why it must not be written.

    Files of this release stay, edited or not; files of an earlier release are replaced unless they are edited.

    Args:
      boundary: where the run may write; None to leave this check to the caller.
      texts: the old texts of the files that import from the folder.
      reads: whether the changes need their texts; a run that only finds asks for the reason alone.
    """
    try:
        existing = _files_of(folder)
        stamps = {file: read_stamp(one.text) for file, one in existing.items()}
    except Unreadable as problem:
        return foreign_file_error(problem.finding.path)
    except OSError:
        return foreign_file_error(folder)
    if os.path.lexists(f"{folder}.py"):
        return foreign_file_error(f"{folder}.py")
    if os.path.lexists(folder) and stamps.get(package.FIRST) is None and not _is_empty(folder):
        return foreign_file_error(folder)
    present = [file for file, stamp in stamps.items() if stamp is not None and file in package.sources()]
    wanted = package.with_imported_files([*present, *package.files_of_names(names)])
    for file in sorted(existing):
        path, stamp = _path(folder, file), stamps[file]
        if stamp is None and file in wanted:
            return foreign_file_error(path)
        if stamp is not None and not stamp.is_of_this_release and (stamp.is_edited or file not in package.sources()):
            return _other_release_error(path, stamp)
    ours = {file for file, stamp in stamps.items() if stamp is not None and not stamp.is_edited}
    current = {file: stamp.content for file, stamp in stamps.items() if stamp is not None and stamp.is_of_this_release}
    stale = {file for file in ours & package.sources().keys() if current.get(file) != content(package.sources()[file])}
    found = [
        FileChange(_path(folder, file), old.text if old else None, package.text_of(file) if reads else "", old)
        for file in sorted({*wanted, *stale})
        if (old := existing.get(file)) is None or file in stale
    ]
    own_import = re.compile(rf"^\s*(from|import)\s+{re.escape(os.path.basename(folder))}\b", re.MULTILINE)
    if package.FIRST not in existing and any(map(own_import.search, texts)):
        message = f"{_PLACE}, and its program imports another module so named"
        return trouble("FT006", folder, message, "Choose another name with the setting module_name.")
    outside = [one.path for one in found if boundary is not None and not boundary.holds(os.path.realpath(one.path))]
    return _outside_error(outside[0]) if outside else found


def _files_of(folder: str) -> dict[str, SourceText]:
    """Maps files, named as in the package, to their texts: all Python files of a runtime folder and its subfolders."""
    found = {}
    for inner in sorted({posixpath.dirname(file) for file in package.sources()}):
        directory = os.path.join(folder, inner)
        names = os.listdir(directory) if os.path.isdir(directory) else []
        for name in (one for one in sorted(names) if one.endswith(".py")):
            path = os.path.join(directory, name)
            found[posixpath.join(inner, name[:-3])] = SourceText.decode(path, regular_bytes(path))
    return found


def _is_empty(folder: str) -> bool:
    """Whether a folder has no files, except caches of Python and temporary files of an interrupted write."""
    if not os.path.isdir(folder):
        return False
    return all(name == "__pycache__" or name.startswith(TEMPORARY_PREFIX) for name in os.listdir(folder))


def foreign_file_error(path: str) -> Finding:
    """Returns the error for a file in the place of runtime files that this tool has not written."""
    message = f"{_PLACE}, and was not written by this tool"
    return trouble("FT006", path, message, "Choose another name with the setting module_name, or move the file.")


def _outside_error(path: str) -> Finding:
    """Returns the error for a runtime file that would be outside of the given paths."""
    message = f"{_PLACE}, and lies outside of the given paths"
    where = os.path.dirname(package.folder_of(os.path.realpath(path)))
    return trouble("FT006", path, message, f"Name {where} as well, or put a directory in the place of a link.")


def _other_release_error(path: str, stamp: Stamp) -> Finding:
    """Returns the error for a file of another release that cannot be replaced by one of this release."""
    state = "and was changed since" if stamp.is_edited else "and has no successor of that name"
    message = f"is of release {stamp.version}, {state}; files of two releases are never mixed in one folder"
    return trouble("FT006", path, message, f"`{program()} renew {path}` shows what to do with it.")


@dataclass
class Renewal:
    """The result of renewing the runtime files of a run.

    Attributes:
      changes: the runtime files to replace and to add; those of one folder change all or none.
      reasons: a sentence for each file that cannot be renewed.
      stale: how many files stay at an earlier release, those in a folder with an edited file included.
    """

    changes: list[FileChange] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    stale: int = 0


def find_renewal(paths: Iterable[str]) -> Renewal:
    """Returns the changes that update the runtime files among some files to this release."""
    found = Renewal()
    folders: dict[str, list[tuple[str, Stamp]]] = {}
    for path in paths:
        stamp = read_stamp(SourceText.decode(path, read(path)).text)
        if stamp is not None:
            folders.setdefault(package.folder_of(path), []).append((path, stamp))
    for where, files in folders.items():
        _renew_folder(where, files, found)
    return found


def _renew_folder(where: str, files: list[tuple[str, Stamp]], renewal: Renewal) -> None:
    """Renews all files of a folder or none, because files of two releases must not be mixed."""
    named = {path: os.path.relpath(path, where).replace(os.sep, "/").removesuffix(".py") for path, _ in files}
    ours = {path: package.sources().get(file) for path, file in named.items()}
    old = [(path, stamp) for path, stamp in files if (text := ours[path]) is None or content(text) != stamp.content]
    reasons = []
    for path, stamp in old:
        if stamp.is_edited:
            reasons.append(f"{path} stays: it was changed since release {stamp.version} wrote it")
        elif ours[path] is None:
            reasons.append(f"{path} stays: this release has no file of its name; migrate the old program again")
    renewal.reasons += reasons
    if reasons:
        renewal.stale += len(old)
    if reasons or not old:
        return
    written = folder.changes(where, ())
    if isinstance(written, Finding):
        renewal.reasons.append(f"{written.path} stays: it {written.message}")
        return
    together = tuple(one.path for one in written)
    renewal.changes += [one._replace(together=together) for one in written]
