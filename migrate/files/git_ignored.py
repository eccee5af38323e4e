"""What git ignores below a directory, asked of git itself."""

import os

from migrate.files.repository import git_output

_NO_PROGRAM = ("-c", "core.fsmonitor=false")
"""Keeps git from running a program that a repository names."""
_LIST = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory")


def ignored_below(directory: str) -> frozenset[str]:
    """The files and directories below a directory that git ignores and does not track.

    Args:
      directory: an absolute path without symbolic links.

    Returns:
      Their absolute paths; none outside a work tree, where git is not there or does not answer, or where it ignores
      the directory itself, which the user named.
    """
    names = [os.fsdecode(name) for name in (git_output(directory, *_NO_PROGRAM, *_LIST) or b"").split(b"\0")[:-1]]
    return frozenset(os.path.join(directory, name.rstrip("/")) for name in names) if "./" not in names else frozenset()
