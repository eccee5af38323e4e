"""The directories that a run was given: where no repository holds a program, its files may be in all of them."""

import os
from collections.abc import Iterable

from migrate.files.sources import is_below

_given: list[str] = []


def set_given_directories(paths: Iterable[str]) -> None:
    """Takes the directories among some paths for those of this run."""
    _given[:] = [os.path.abspath(path) for path in paths if os.path.isdir(path)]


def given_directories() -> tuple[str, ...]:
    """The directories of this run, absolute."""
    return (*_given,)


def given_directory_of(directory: str) -> str | None:
    """The outermost of them that is or holds a directory, absolute; None where none does."""
    return min((one for one in _given if is_below(directory, one)), key=len, default=None)
