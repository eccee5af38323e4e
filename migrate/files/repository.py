"""Where the git repository around a file or directory stands, and what git says of it."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence

from migrate.files.run_cache import run_cache

_NO_PROGRAM = ("-c", "core.fsmonitor=false")
"""Keeps git from running a program that a repository names."""
_LIST = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory")
_AT_ONCE = 500
"""So many paths stand in one command at most."""


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


def ignored_below(directory: str) -> frozenset[str]:
    """The files and directories below a directory that git ignores and does not track.

    Returns:
      Their absolute paths; none outside a work tree, where git is not there or does not answer, or where it ignores
      the directory itself, which the user named.
    """
    names = [os.fsdecode(name) for name in (git_output(directory, *_NO_PROGRAM, *_LIST) or b"").split(b"\0")[:-1]]
    return frozenset(os.path.join(directory, name.rstrip("/")) for name in names) if "./" not in names else frozenset()


def uncommitted_files(files: Mapping[str, bytes]) -> list[str]:
    """The files whose bytes are not those of the last commit, in the order of their paths.

    Git is asked for the names that the commit has for contents, and nothing else: the index, filters and hooks stay out
    of it. Where there is no git, no repository or no commit, nothing is said of a file.
    """
    trees: dict[str, list[str]] = {}
    for path in files:
        top = repository(os.path.dirname(os.path.realpath(path)))
        if top is not None:
            trees.setdefault(top, []).append(path)
    found: list[str] = []
    for top, paths in trees.items():
        names = {path: os.path.relpath(os.path.realpath(path), top).replace(os.sep, "/") for path in paths}
        committed = _committed_digests(top, [*names.values()])
        if committed is not None:
            found += [path for path in paths if committed.get(names[path]) not in _names(files[path], committed)]
    return sorted(found)


def _committed_digests(top: str, names: Sequence[str]) -> dict[str, str] | None:
    """What the last commit calls the contents of files; None where there is no commit to be asked."""
    found: dict[str, str] = {}
    for start in range(0, len(names), _AT_ONCE):
        # A repository's settings can name programs to run; a look at a commit runs none but to fetch what it lacks.
        command = ["-c", "protocol.allow=never", "ls-tree", "-r", "-z", "HEAD", "--"]
        listed = git_output(top, *command, *names[start : start + _AT_ONCE], GIT_NO_LAZY_FETCH="1")
        if listed is None:
            return None
        for line in listed.split(b"\0")[:-1]:
            what, _, name = line.partition(b"\t")
            found[os.fsdecode(name)] = what.split()[2].decode()
    return found


def _names(data: bytes, committed: Mapping[str, str]) -> Collection[str]:
    """What git calls these bytes; it may have stored them with other line ends."""
    import hashlib

    kind = hashlib.sha256 if any(len(name) == 64 for name in committed.values()) else hashlib.sha1
    return [kind(b"blob %d\0" % len(text) + text).hexdigest() for text in _blob_bytes(data)]


def _blob_bytes(data: bytes) -> Iterator[bytes]:
    yield data
    yield data.replace(b"\r\n", b"\n")
