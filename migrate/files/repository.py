"""Where the git repository around a file or directory stands."""

import os


def repository(path: str) -> str | None:
    """The root of the git repository that holds a file or directory, or is the directory; None where there is none."""
    while not os.path.lexists(os.path.join(path, ".git")):
        parent = os.path.dirname(path)
        if parent == path:
            return None
        path = parent
    return path
