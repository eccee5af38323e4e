"""Where the git repository around a file or directory stands."""

import os
from collections.abc import Iterator


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


def _is_root(path: str) -> bool:
    return os.path.lexists(os.path.join(path, ".git"))
