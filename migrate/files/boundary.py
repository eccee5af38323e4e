"""All changes that the tool makes to files, restricted to the given paths."""

import os
from collections.abc import Iterable

from migrate.files.distribution import package_around
from migrate.files.sources import is_below


class OutsideError(PermissionError):
    """Raised for a change outside of the given paths."""


class Boundary:
    """The directories in which a run may write: the given ones, those of given files, and the packages around them.

    Every change of the disk is a method here that raises OutsideError outside of these directories, also if a journal,
    link, cell or setting of the tree asked for it. The last part of a path is never followed as a link.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._tops: set[str] = set()
        for path in paths:
            real = os.path.realpath(path)
            places = [real] if os.path.isdir(real) else [os.path.dirname(real), os.path.realpath(os.path.dirname(path))]
            self._tops.update(map(_package_top, places))

    def holds(self, path: str) -> bool:
        """Whether the run may make, replace or remove a file or directory."""
        directory, name = os.path.split(path)
        real = os.path.realpath(directory or os.curdir)
        return name not in ("", os.curdir, os.pardir) and any(is_below(real, top) for top in self._tops)

    def create(self, path: str, mode: int) -> int:
        """Makes a new file and returns its descriptor, open for reading and appending."""
        return os.open(self._check_inside(path), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, mode)

    def link(self, path: str, name: str) -> None:
        """Adds a hard link to a file; the name must be free."""
        os.link(self._check_inside(path), self._check_inside(name), follow_symlinks=False)

    def copy(self, path: str, name: str) -> None:
        """Copies a file with its attributes, for file systems without hard links."""
        from shutil import copy2

        copy2(self._check_inside(path), self._check_inside(name), follow_symlinks=False)

    def rename(self, path: str, name: str) -> None:
        """Renames a file to a free name."""
        os.rename(self._check_inside(path), self._check_inside(name))

    def replace(self, path: str, name: str) -> None:
        """Renames a file over another one."""
        os.replace(self._check_inside(path), self._check_inside(name))

    def remove(self, path: str) -> None:
        """Removes a file if it exists."""
        try:
            os.unlink(self._check_inside(path))
        except FileNotFoundError:
            return

    def make_directory(self, path: str) -> None:
        os.mkdir(self._check_inside(path))

    def remove_directory(self, path: str) -> None:
        os.rmdir(self._check_inside(path))

    def _check_inside(self, path: str) -> str:
        if not self.holds(path):
            raise OutsideError(None, "it lies outside of the given paths", path)
        return path


def _package_top(directory: str) -> str:
    """Returns the outermost directory of the package that contains a directory; without a package the directory."""
    around = package_around(directory)
    if around is not None:
        return around
    while os.path.isfile(os.path.join(directory, "__init__.py")):
        above = os.path.dirname(directory)
        if not os.path.isfile(os.path.join(above, "__init__.py")):
            break
        directory = above
    return directory
