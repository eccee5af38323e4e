"""The one place where the tool changes what stands on a user's disk, and only within the given paths."""

import os
import shutil
from collections.abc import Iterable

from migrate.files.distribution import package_around
from migrate.files.sources import is_below


class OutsideError(PermissionError):
    """A change outside of the given paths."""


class Boundary:
    """The directories in which a run may write: the given ones, those of given files, and the packages around them.

    Every change of the tree is a method here, and raises OutsideError outside of these directories, whichever
    journal, link, cell or setting of the tree asked for it. The last part of a path is never followed as a link.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._tops: set[str] = set()
        for path in paths:
            real = os.path.realpath(path)
            places = [real] if os.path.isdir(real) else [os.path.dirname(real), os.path.realpath(os.path.dirname(path))]
            self._tops.update(map(_package_top, places))

    def holds(self, path: str) -> bool:
        """Whether a file or directory may be made, replaced or removed."""
        directory, name = os.path.split(path)
        real = os.path.realpath(directory or os.curdir)
        return name not in ("", os.curdir, os.pardir) and any(is_below(real, top) for top in self._tops)

    def create(self, path: str, mode: int) -> int:
        """The descriptor of a new file, open for reading and for writing at its end."""
        return os.open(self._check_inside(path), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, mode)

    def link(self, path: str, name: str) -> None:
        """Gives a file another name, which must be free."""
        os.link(self._check_inside(path), self._check_inside(name), follow_symlinks=False)

    def copy(self, path: str, name: str) -> None:
        """Copies a file with its attributes, on a file system without hard links."""
        shutil.copy2(self._check_inside(path), self._check_inside(name), follow_symlinks=False)

    def rename(self, path: str, name: str) -> None:
        """Gives a file a name that is free."""
        os.rename(self._check_inside(path), self._check_inside(name))

    def replace(self, path: str, name: str) -> None:
        """Gives a file the name of another one, which is gone then."""
        os.replace(self._check_inside(path), self._check_inside(name))

    def remove(self, path: str) -> None:
        """Removes a file; one that is gone already is no error."""
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
    """The outermost directory of the package that a directory is in; the directory itself where it is in none."""
    around = package_around(directory)
    if around is not None:
        return around
    while os.path.isfile(os.path.join(directory, "__init__.py")):
        above = os.path.dirname(directory)
        if not os.path.isfile(os.path.join(above, "__init__.py")):
            break
        directory = above
    return directory
