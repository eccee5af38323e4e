"""Helpers of an earlier release brought up to this one: where nobody edited them, and as far as names go with them."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from migrate.analysis.imports import importing_root
from migrate.files.matching import unified
from migrate.files.read import read
from migrate.files.sources import is_below
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.files.walk import walk
from migrate.findings.finding import Finding
from migrate.helpers import folder, package
from migrate.helpers.history import as_written
from migrate.helpers.importers import NotMoved, moved
from migrate.helpers.stamp import Stamp, content, read_stamp
from migrate.results.outcome import FileChange


@dataclass
class Renewal:
    """What becomes of the helpers of a run.

    Attributes:
      changes: the files of helpers to replace, to add and to remove, and the programs' files whose imports change:
        those of one folder go together.
      kept: a sentence for each file that stays though it is of an earlier release.
      differences: for each edited file, what its owner changed and what the release changes, as diffs to read.
    """

    changes: list[FileChange] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    def take(self, where: str, changes: Sequence[FileChange]) -> None:
        """Takes the changes of one folder, unless a file had to change twice."""
        together = tuple(one.path for one in changes)
        seen = Counter([*together, *(one.path for one in self.changes)])
        twice = next((path for path in together if seen[path] > 1), None)
        if twice is None:
            self.changes += [replace(one, together=together) for one in changes]
        else:
            self.kept.append(
                f"{where} stays: {twice} imports from two files that go; run it again, or change one by hand"
            )


def renewal(paths: Iterable[str]) -> Renewal:
    """What brings the helpers among some files up to this release; raises Unreadable for one that cannot be read."""
    found = Renewal()
    folders: dict[str, list[tuple[SourceText, Stamp]]] = {}
    for path in paths:
        source = SourceText.decode(path, read(path))
        stamp = read_stamp(source.text)
        if stamp is not None and stamp.is_module:
            _renew_module(source, stamp, found)
        elif stamp is not None:
            folders.setdefault(os.path.dirname(path), []).append((source, stamp))
    for where, files in folders.items():
        _renew_folder(where, files, found)
    return found


def _renew_folder(where: str, files: list[tuple[SourceText, Stamp]], found: Renewal) -> None:
    """Renews the files of a folder, or none of them: those of two releases do not stand side by side."""
    old = [(source, stamp) for source, stamp in files if _base_of(_stem(source.path)) != stamp.content]
    edited = [(source, stamp) for source, stamp in old if stamp.is_edited]
    for source, stamp in edited:
        found.kept.append(f"{source.path} stays: it was changed since release {stamp.version} wrote it")
        found.differences.append(_difference(source, stamp, package.sources().get(_stem(source.path))))
    if edited or not old:
        return
    changes, names = list[FileChange](), set[str]()
    gone = [source for source, _ in old if _stem(source.path) not in package.sources()]
    try:
        for source in gone:
            more, used = _moved(source.path, where)
            changes, names = changes + more, names | used
    except NotMoved as problem:
        found.kept.append(f"{where} stays: {problem}")
        return
    written = folder.changes(where, names, gone=[_stem(one.path) for one in gone])
    if isinstance(written, Finding):
        found.kept.append(f"{written.path} stays: it {written.message}")
        return
    found.take(where, [*written, *changes, *map(_going, gone)])


def _renew_module(source: SourceText, stamp: Stamp, found: Renewal) -> None:
    """Has the folder stand where an earlier release's module stood, and the programs import from it."""
    where = source.path.removesuffix(".py")
    if stamp.is_edited:
        state = "was changed since it was written" if stamp.version else "has no stamp to show if it was changed"
        found.kept.append(f"{source.path} stays: it {state}")
        found.differences.append(_difference(source, stamp, None))
        return
    try:
        changes, names = _moved(source.path, where)
    except NotMoved as problem:
        found.kept.append(f"{source.path} stays: {problem}")
        return
    written = folder.changes(where, names, replaces_module=True)
    if isinstance(written, Finding):
        found.kept.append(f"{source.path} stays: {written.path} {written.message}")
        return
    found.take(source.path, [*written, *changes, _going(source)])


def _going(source: SourceText) -> FileChange:
    return FileChange(source.path, source.text, "", source, goes=True)


def _moved(path: str, where: str) -> tuple[list[FileChange], set[str]]:
    """The changes of the files that import from a file of helpers that goes, and the names that they import.

    Raises:
      NotMoved: if one of them cannot follow.
    """
    changes, names = list[FileChange](), set[str]()
    own, inside = os.path.abspath(path), os.path.abspath(where)
    for importer in walk([importing_root(os.path.dirname(own))]):
        if not isinstance(importer, str) or importer == own or os.path.dirname(importer) == inside:
            continue
        shown = os.path.relpath(importer) if is_below(importer, os.path.abspath(os.curdir)) else importer
        try:
            if _stem(own).encode() not in read(importer):
                continue
            change, used = moved(shown, own, inside)
        except Unreadable as problem:
            raise NotMoved(str(problem)) from problem
        changes += [change] if change is not None else []
        names |= used
    return changes, names


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".py")


def _base_of(stem: str) -> str | None:
    """The digest of this release's file; None for a file that it does not have."""
    text = package.sources().get(stem)
    return None if text is None else content(text)


def _difference(source: SourceText, stamp: Stamp, new: str | None) -> str:
    """What its owner changed in a file and what this release changes, from the text that the earlier release wrote."""
    release, path = stamp.version or "unknown", source.path
    base = as_written(path, stamp)
    ours = package.text_of(_stem(path)) if new is not None else None
    if base is None:
        told = f"What release {release} wrote is not known here (no commit holds it)"
        if ours is None:
            return f"{told}: {path} has no successor of its name.\n"
        return f"{told}: from your {path} to this release's.\n" + _diff(source.text, ours, path, f"{path} (new)")
    found = f"What was changed in {path} since release {release}:\n"
    found += _diff(base, source.text, f"{path} ({release})", path)
    if ours is not None:
        found += f"What this release changes in it:\n{_diff(base, ours, f'{path} ({release})', f'{path} (new)')}"
    return found


def _diff(before: str, after: str, old: str, new: str) -> str:
    old_lines, new_lines = (text.replace("\r\n", "\n").splitlines() for text in (before, after))
    return "".join(f"{line}\n" for line in unified(old_lines, new_lines, old, new))
