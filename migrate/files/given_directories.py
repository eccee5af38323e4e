"""The directories that the user named: a program outside of a repository may have files in any of them."""

import os
from collections.abc import Iterable

from migrate.files.sources import is_below

_given: list[str] = []


def set_given_directories(paths: Iterable[str]) -> None:
    """Stores the directories among the paths of this run."""
    _given[:] = [os.path.abspath(path) for path in paths if os.path.isdir(path)]


def given_directories() -> tuple[str, ...]:
    """Returns the absolute directories of this run."""
    return (*_given,)


def given_directory_of(directory: str) -> str | None:
    """Returns the outermost of them that is ``directory`` or above it; None if there is none."""
    return min((one for one in _given if is_below(directory, one)), key=len, default=None)
