"""The files that come into the runtime folder beside a program; those of an earlier release are renewed."""

import os
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from migrate.edits.file_change import FileChange
from migrate.files.boundary import Boundary
from migrate.files.read import read, regular_bytes
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable, trouble
from migrate.files.write import TEMPORARY_PREFIX
from migrate.findings.finding import Finding
from migrate.findings.invocation import program
from migrate.runtime_files import folder, package
from migrate.runtime_files.package import Stamp, content, read_stamp


def paths(folder: str, names: Iterable[str]) -> tuple[str, ...]:
    """The files in a folder that a program with some names of the package needs."""
    return tuple(_path(folder, file) for file in package.files_of_names(names))


def _path(folder: str, file: str) -> str:
    return os.path.join(folder, *f"{file}.py".split("/"))


def changes(
    folder: str, names: Iterable[str], boundary: Boundary | None = None, texts: Iterable[str] = ()
) -> list[FileChange] | Finding:
    """The files to write so that a folder has some names of the package, or why it must not be written.

    What is there of this release stays, edited or not; what an earlier one wrote is replaced where nobody edited it.

    Args:
      boundary: where the run may write; None where that is asked later.
      texts: those of the files that import from the folder, as they are.
    """
    try:
        held = _files_of(folder)
        stamps = {file: read_stamp(one.text) for file, one in held.items()}
    except Unreadable as problem:
        return foreign(problem.finding.path)
    except OSError:
        return foreign(folder)
    if os.path.lexists(f"{folder}.py"):
        return foreign(f"{folder}.py")
    if os.path.lexists(folder) and stamps.get(package.FIRST) is None and not _is_empty(folder):
        return foreign(folder)
    present = [file for file, stamp in stamps.items() if stamp is not None and file in package.sources()]
    wanted = package.together([*present, *package.files_of_names(names)])
    for file in sorted(held):
        path, stamp = _path(folder, file), stamps[file]
        if stamp is None and file in wanted:
            return foreign(path)
        if stamp is not None and not stamp.is_of_this_release and (stamp.is_edited or file not in package.sources()):
            return _other_release(path, stamp)
    ours = {file for file, stamp in stamps.items() if stamp is not None and not stamp.is_edited}
    current = {file: stamp.content for file, stamp in stamps.items() if stamp is not None and stamp.is_of_this_release}
    stale = {file for file in ours & package.sources().keys() if current.get(file) != content(package.sources()[file])}
    found = [
        FileChange(
            _path(folder, file), held[file].text if file in held else None, package.text_of(file), held.get(file)
        )
        for file in sorted({*wanted, *stale})
        if file not in held or file in stale
    ]
    if package.FIRST not in held and any(_imports(os.path.basename(folder), text) for text in texts):
        return _hiding_error(folder)
    outside = [one.path for one in found if boundary is not None and not boundary.holds(os.path.realpath(one.path))]
    return _outside(outside[0]) if outside else found


def _files_of(folder: str) -> dict[str, SourceText]:
    """The Python files of a folder and of those in it that the package has too, as the package names its files."""
    found = {}
    for inner in sorted({posixpath.dirname(file) for file in package.sources()}):
        directory = os.path.join(folder, inner)
        names = os.listdir(directory) if os.path.isdir(directory) else []
        found.update(
            {
                posixpath.join(inner, name[:-3]): _source(os.path.join(directory, name))
                for name in sorted(names)
                if name.endswith(".py")
            }
        )
    return found


def _is_empty(folder: str) -> bool:
    """Whether nothing is there, or what Python and a write that was interrupted leave."""
    if not os.path.isdir(folder):
        return False
    return all(name == "__pycache__" or name.startswith(TEMPORARY_PREFIX) for name in os.listdir(folder))


def _source(path: str) -> SourceText:
    return SourceText.decode(path, regular_bytes(path))


def foreign(path: str) -> Finding:
    """The error for a file that stands where the runtime files would be written and is not the tool's."""
    message = "is where the generated recovery code would be written, and was not written by this tool"
    return trouble("FT006", path, message, "Choose another name with the setting module_name, or move the file.")


def _imports(name: str, text: str) -> bool:
    return re.search(rf"^\s*(from|import)\s+{re.escape(name)}\b", text, re.MULTILINE) is not None


def _hiding_error(path: str) -> Finding:
    """The error for a folder that would hide a module that its program imports from elsewhere."""
    message = "is where the generated recovery code would be written, and its program imports another module so named"
    return trouble("FT006", path, message, "Choose another name with the setting module_name.")


def _outside(path: str) -> Finding:
    """The error for a runtime file that would come to stand elsewhere than the user named."""
    message = "is where the generated recovery code would be written, and lies outside of the given paths"
    where = os.path.dirname(package.folder_of(os.path.realpath(path)))
    return trouble("FT006", path, message, f"Name {where} as well, or put a directory in the place of a link.")


def _other_release(path: str, stamp: Stamp) -> Finding:
    """The error for a file of another release that cannot stand beside those of this one."""
    state = "and was changed since" if stamp.is_edited else "and has no successor of that name"
    message = f"is of release {stamp.version}, {state}; files of two releases are never mixed in one folder"
    return trouble("FT006", path, message, f"`{program()} renew {path}` shows what to do with it.")


@dataclass
class Renewal:
    """What becomes of the runtime files of a run.

    Attributes:
      changes: the runtime files to replace and to add: those of one folder change together.
      kept: a sentence for each file that stays though it is of an earlier release.
      stale: how many files stay so, those beside an edited one included.
    """

    changes: list[FileChange] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    stale: int = 0


def renewal(paths: Iterable[str]) -> Renewal:
    """Returns what brings the runtime files among some files up to this release."""
    found = Renewal()
    folders: dict[str, list[tuple[str, Stamp]]] = {}
    for path in paths:
        stamp = read_stamp(SourceText.decode(path, read(path)).text)
        if stamp is not None:
            folders.setdefault(package.folder_of(path), []).append((path, stamp))
    for where, files in folders.items():
        _renew_folder(where, files, found)
    return found


def _renew_folder(where: str, files: list[tuple[str, Stamp]], found: Renewal) -> None:
    """Renews the files of a folder, or none of them: those of two releases do not stand side by side."""
    named = {path: os.path.relpath(path, where).replace(os.sep, "/").removesuffix(".py") for path, _ in files}
    ours = {path: package.sources().get(file) for path, file in named.items()}
    old = [(path, stamp) for path, stamp in files if (text := ours[path]) is None or content(text) != stamp.content]
    kept = []
    for path, stamp in old:
        if stamp.is_edited:
            kept.append(f"{path} stays: it was changed since release {stamp.version} wrote it")
        elif ours[path] is None:
            kept.append(f"{path} stays: this release has no file of its name; migrate the old program again")
    found.kept += kept
    if kept:
        found.stale += len(old)
    if kept or not old:
        return
    written = folder.changes(where, ())
    if isinstance(written, Finding):
        found.kept.append(f"{written.path} stays: it {written.message}")
        return
    together = tuple(one.path for one in written)
    found.changes += [one._replace(together=together) for one in written]
