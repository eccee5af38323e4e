"""Where plan's verify commands look for the files as they were before a run, so that old programs can be started."""

import os
from collections.abc import Iterable, Sequence

from migrate.files.repository import repository
from migrate.files.sources import is_below


class OldTree:
    """The copies of the repositories that a run changes: ``before`` beside each, or ``before/NAME`` of several."""

    def __init__(self, files: Iterable[str], given: Sequence[str]) -> None:
        self._given = [os.path.abspath(path) for path in given]
        directories = {os.path.dirname(os.path.abspath(path)) for path in files}
        self._bases = {directory: self._base_of(directory) for directory in directories}

    def path(self, file: str) -> str:
        """Returns the old file of a new one: absolute, or relative to the current directory, as that is named."""
        absolute = os.path.abspath(file)
        directory = os.path.dirname(absolute)
        base = self._bases.get(directory) or self._base_of(directory)
        own = [os.path.basename(base)] if len({*self._bases.values()}) > 1 else []
        place = os.path.abspath(os.path.join(base, os.pardir, "before", *own, os.path.relpath(absolute, base)))
        return place if os.path.isabs(file) else os.path.relpath(place)

    def _base_of(self, directory: str) -> str:
        """The repository around a directory, else the given directory that holds it."""
        outer = (one for one in sorted(self._given, key=len) if os.path.isdir(one) and is_below(directory, one))
        return repository(directory) or next(outer, directory)
