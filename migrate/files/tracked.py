"""Which files git keeps though its ignore rules hide them: ``git add -f`` took them, or the rules came later."""

import os
from functools import lru_cache

from migrate.files.repository import asked

_SAFE = ("-c", "core.fsmonitor=false")
"""Keeps git from running a program that a repository names."""


def kept_though_ignored(root: str) -> frozenset[str]:
    """The files that the index of a repository has and an ignore rule hides, and the directories that hold them.

    Args:
      root: the repository's top, an absolute path without symbolic links.

    Returns:
      Absolute paths of Python files, notebooks and directories; none where git is not there, or does not answer.
    """
    try:
        changed = os.stat(os.path.join(root, ".git", "index")).st_mtime_ns
    except OSError:
        changed = 0  # a worktree's or submodule's index stands elsewhere; no index has no files
    return _kept(root, changed)


@lru_cache(maxsize=50)
def _kept(root: str, changed: int) -> frozenset[str]:
    listed = asked(root, *_SAFE, "ls-files", "-z", "-c", "-i", "--exclude-standard", "--", "*.py", "*.ipynb")
    found = set[str]()
    for name in (listed or b"").split(b"\0")[:-1]:
        path = os.path.join(root, os.fsdecode(name))
        while path not in found and path != root:
            found.add(path)
            path = os.path.dirname(path)
    return frozenset(found)
