"""Where the git repository around a file or directory stands."""

import os
from collections.abc import Iterator
from functools import lru_cache


def upwards(path: str) -> Iterator[str]:
    """A path and the directories above it, up to the root of the git repository that holds it, else of the disk."""
    while True:
        yield path
        parent = os.path.dirname(path)
        if parent == path or _is_root(path):
            return
        path = parent


def repository(path: str) -> str | None:
    """The root of the git repository that holds a file or directory, or is the directory; None where there is none."""
    *_, top = upwards(path)
    return top if _is_root(top) else None


@lru_cache(maxsize=1_000)
def around(directory: str) -> str:
    """What holds the files that may import those of a directory: its repository, else the directory itself.

    It is looked for once, and only says which files are worked on by one process.
    """
    return repository(directory) or directory


def _is_root(path: str) -> bool:
    return os.path.lexists(os.path.join(path, ".git"))
