"""Finds the git repository of a file or directory, and asks git for ignored and uncommitted files."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence

from migrate.files.run_cache import run_cache

_NO_PROGRAM = ("-c", "core.fsmonitor=false")
"""Prevents git from running a program that a repository's settings name."""
_LIST = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory")
_MAX_PATHS = 500
"""How many paths one git command gets at most."""


def upwards(path: str) -> Iterator[str]:
    """Yields a path and the directories above it, up to the root of its git repository, else of the disk."""
    while True:
        yield path
        parent = os.path.dirname(path)
        if parent == path or _is_root(path):
            return
        path = parent


def repository(path: str) -> str | None:
    """Returns the root of the git repository of a file or directory; None if there is none."""
    *_, top = upwards(path)
    return top if _is_root(top) else None


def git_output(root: str, *arguments: str, **settings: str) -> bytes | None:
    """Returns what git prints for a command in a repository; None if git is missing, fails or takes too long.

    Git writes nothing, not even its index, and reads no input.
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
    """Returns the git repository of a directory; "" if there is none. Cached."""
    return repository(directory) or ""


@run_cache
def _is_root(path: str) -> bool:
    return os.path.lexists(os.path.join(path, ".git"))


def ignored_below(directory: str) -> frozenset[str]:
    """Returns the absolute paths of the files and directories below a directory that git ignores and does not track.

    It is empty outside a work tree, if git fails, and if git ignores the directory itself, which the user named.
    """
    names = [os.fsdecode(name) for name in (git_output(directory, *_NO_PROGRAM, *_LIST) or b"").split(b"\0")[:-1]]
    return frozenset(os.path.join(directory, name.rstrip("/")) for name in names) if "./" not in names else frozenset()


def uncommitted_files(files: Mapping[str, bytes]) -> list[str]:
    """Returns the sorted paths of the files whose bytes differ from those of the last commit.

    Compares with the digests in the commit, so that the index, filters and hooks play no part. A file counts as
    committed if there is no git, no repository or no commit.
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
            found += [one for one in paths if committed.get(names[one]) not in _digests(files[one], committed)]
    return sorted(found)


def _committed_digests(top: str, names: Sequence[str]) -> dict[str, str] | None:
    """Maps the names of files to their digests in the last commit; None if there is no commit."""
    found: dict[str, str] = {}
    for start in range(0, len(names), _MAX_PATHS):
        # A repository's settings can name programs to run; ls-tree runs none except to fetch missing objects.
        command = ["-c", "protocol.allow=never", "ls-tree", "-r", "-z", "HEAD", "--"]
        listed = git_output(top, *command, *names[start : start + _MAX_PATHS], GIT_NO_LAZY_FETCH="1")
        if listed is None:
            return None
        for line in listed.split(b"\0")[:-1]:
            what, _, name = line.partition(b"\t")
            found[os.fsdecode(name)] = what.split()[2].decode()
    return found


def _digests(data: bytes, committed: Mapping[str, str]) -> Collection[str]:
    """Returns the digests that git may have for these bytes, which it may have stored with other line ends."""
    import hashlib

    kind = hashlib.sha256 if any(len(name) == 64 for name in committed.values()) else hashlib.sha1
    return [kind(b"blob %d\0" % len(text) + text).hexdigest() for text in (data, data.replace(b"\r\n", b"\n"))]
