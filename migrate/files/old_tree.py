"""The paths at which the verify commands of ``plan`` expect the old files, so that old programs can be started."""

import os
from collections.abc import Iterable, Sequence

from migrate.files.repository import repository
from migrate.files.sources import is_below


class OldTree:
    """Copies of the changed repositories, in a directory ``before`` next to each, or ``before/NAME`` if several."""

    def __init__(self, files: Iterable[str], paths: Sequence[str]) -> None:
        self._given = [os.path.abspath(path) for path in paths]
        directories = {os.path.dirname(os.path.abspath(path)) for path in files}
        self._bases = {directory: self._base_of(directory) for directory in directories}

    def path(self, file: str) -> str:
        """Returns the path of the old file for a new one: absolute if that is, else from the current directory."""
        absolute = os.path.abspath(file)
        directory = os.path.dirname(absolute)
        base = self._bases.get(directory) or self._base_of(directory)
        own = [os.path.basename(base)] if len({*self._bases.values()}) > 1 else []
        place = os.path.abspath(os.path.join(base, os.pardir, "before", *own, os.path.relpath(absolute, base)))
        return place if os.path.isabs(file) else os.path.relpath(place)

    def _base_of(self, directory: str) -> str:
        """Returns the repository of a directory, else the outermost given directory above it, else the directory."""
        outer = (one for one in sorted(self._given, key=len) if os.path.isdir(one) and is_below(directory, one))
        return repository(directory) or next(outer, directory)
