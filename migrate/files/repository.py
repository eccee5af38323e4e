"""Where the git repository around a file or directory stands, and what git says of it."""

import os
from collections.abc import Iterator, Mapping

from migrate.files.run_cache import run_cache


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


def git_output(root: str, *arguments: str, **settings: str) -> bytes | None:
    """What git prints for a command in a repository; None where git is not there, or does not answer.

    It writes nothing, not even its index, and reads no input.

    Args:
      root: the repository's top, or a directory below it.
      arguments: the settings and the command.
      settings: more of its environment.
    """
    import subprocess

    environment: Mapping[str, str] = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", **settings}
    command = ["git", "-C", root, *arguments]
    nothing = subprocess.DEVNULL
    try:
        return subprocess.run(
            command, stdin=nothing, capture_output=True, check=True, timeout=60, env=environment
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None


@run_cache
def repository_of(directory: str) -> str:
    """The git repository that holds a directory; "" where none does. It is looked for once."""
    return repository(directory) or ""


def _is_root(path: str) -> bool:
    return os.path.lexists(os.path.join(path, ".git"))
