"""Where a run's files stand as they were before it, so that the old programs can be started."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence

from migrate.files.repository import ignored_below, repository
from migrate.files.sources import SUFFIXES, is_below
from migrate.files.walk import is_never_read

_LARGEST = 2**20
"""Bytes of a file that is copied though it is no source: data and checkpoints are not."""


class OldTree:
    """The copies of the repositories that a run changes; several stand below directories of their own names.

    Args:
      directory: where the copies are; None for ``before`` beside each repository.
    """

    def __init__(self, files: Iterable[str], given: Sequence[str], directory: str | None = None) -> None:
        self._directory = directory
        self._given = [os.path.abspath(path) for path in given]
        self._files = dict.fromkeys(os.path.abspath(path) for path in files)
        self._bases = {
            directory: self._base_of(directory) for directory in {os.path.dirname(one) for one in self._files}
        }

    def path(self, file: str) -> str:
        """Returns the old file of a new one: absolute, or relative to the current directory, as that is named."""
        absolute = os.path.abspath(file)
        place = self._place(self._base(absolute), absolute)
        return place if os.path.isabs(file) else os.path.relpath(place)

    def keep(self) -> int:
        """Copies the sources and other small files; returns how many."""
        copies = dict[str, str]()
        for base in sorted({*self._bases.values()}):
            copies |= {one: self._place(base, one) for one in _contents(base)}
        copies |= {one: self._place(self._base(one), one) for one in self._files if os.path.lexists(one)}
        for source, copy in copies.items():
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy2(source, copy, follow_symlinks=False)
        return len(copies)

    def _place(self, base: str, file: str) -> str:
        above = os.path.join(base, os.pardir, "before") if self._directory is None else self._directory
        own = [os.path.basename(base)] if len({*self._bases.values()}) > 1 else []
        return os.path.abspath(os.path.join(above, *own, os.path.relpath(file, base)))

    def _base(self, file: str) -> str:
        directory = os.path.dirname(file)
        return self._bases.get(directory) or self._base_of(directory)

    def _base_of(self, directory: str) -> str:
        """The repository around a directory, else the given directory that holds it."""
        outer = (one for one in sorted(self._given, key=len) if os.path.isdir(one) and is_below(directory, one))
        return repository(directory) or next(outer, directory)


def _contents(base: str) -> Iterator[str]:
    """The files below a directory that make up its programs."""
    ignored = ignored_below(os.path.realpath(base)) if repository(base) is not None else frozenset()
    for folder, folders, names in os.walk(base):
        real = os.path.realpath(folder)
        folders[:] = [
            name
            for name in folders
            if not is_never_read(os.path.join(folder, name)) and os.path.join(real, name) not in ignored
        ]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.join(real, name) in ignored or not (os.path.islink(path) or os.path.isfile(path)):
                continue
            if name.endswith(SUFFIXES) or os.path.islink(path) or os.path.getsize(path) <= _LARGEST:
                yield path
