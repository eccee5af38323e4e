"""Which of the files to be written git could not give back as they are."""

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence

from migrate.files.repository import git_output, repository

_AT_ONCE = 500
"""So many paths stand in one command at most."""


def uncommitted_files(files: Mapping[str, bytes]) -> list[str]:
    """The files whose bytes are not those of the last commit, in the order of their paths.

    Git is asked for the names that the commit has for contents, and nothing else: the index, filters and hooks stay out
    of it. Where there is no git, no repository or no commit, nothing is said of a file.

    Args:
      files: the bytes of each file by its path.
    """
    trees: dict[str, list[str]] = {}
    for path in files:
        top = repository(os.path.dirname(os.path.realpath(path)))
        if top is not None:
            trees.setdefault(top, []).append(path)
    found: list[str] = []
    for top, paths in trees.items():
        names = {path: os.path.relpath(os.path.realpath(path), top).replace(os.sep, "/") for path in paths}
        committed = _committed(top, [*names.values()])
        if committed is not None:
            found += [path for path in paths if committed.get(names[path]) not in _names(files[path], committed)]
    return sorted(found)


def _committed(top: str, names: Sequence[str]) -> dict[str, str] | None:
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
    kind = hashlib.sha256 if any(len(name) == 64 for name in committed.values()) else hashlib.sha1
    return [kind(b"blob %d\0" % len(text) + text).hexdigest() for text in _stored(data)]


def _stored(data: bytes) -> Iterator[bytes]:
    yield data
    yield data.replace(b"\r\n", b"\n")
