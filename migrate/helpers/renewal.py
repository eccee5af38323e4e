"""Helpers of an earlier release replaced by this one's, where nobody edited them."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from migrate.edits.file_change import FileChange
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.findings.finding import Finding
from migrate.helpers import folder, package
from migrate.helpers.package import Stamp, content, read_stamp


@dataclass
class Renewal:
    """What becomes of the helpers of a run.

    Attributes:
      changes: the files of helpers to replace and to add: those of one folder change together.
      kept: a sentence for each file that stays though it is of an earlier release.
      stale: how many files stay so, those beside an edited one included.
    """

    changes: list[FileChange] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    stale: int = 0


def renewal(paths: Iterable[str]) -> Renewal:
    """Returns what brings the helpers among some files up to this release."""
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
    found.changes += [replace(one, together=together) for one in written]
