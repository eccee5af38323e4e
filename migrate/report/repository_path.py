"""Where files stand for a reader on another machine: relative to the repository."""

import os

from migrate.files.repository import repository
from migrate.files.text import STDIN


def root() -> str:
    """What relative paths are relative to: the root of the repository, else the current directory."""
    here = os.getcwd()
    return repository(here) or here


def below(path: str, directory: str) -> str | None:
    """The path relative to a directory, with slashes; None where it does not lie below it."""
    if path == STDIN:
        return path
    absolute = os.path.abspath(path)
    if os.path.commonpath((directory, absolute)) != directory:
        return None
    return os.path.relpath(absolute, directory).replace(os.sep, "/")
