"""What an earlier release wrote into a file of helpers, as far as it can be had: from the repository's history."""

import os

from migrate.files.repository import asked
from migrate.helpers.stamp import Stamp, read_stamp

_COMMITS = 200
"""So many commits of a file are looked at, the newest first."""


def as_written(path: str, stamp: Stamp) -> str | None:
    """The text that a release wrote into a file that was edited since; None where no commit holds it.

    Args:
      path: the file.
      stamp: its stamp, which tells the digest of that text.
    """
    for commit in _git(path, "log", f"--max-count={_COMMITS}", "--format=%H", "--", os.path.basename(path)).split():
        text = _git(path, "show", f"{commit}:./{os.path.basename(path)}")
        found = read_stamp(text)
        if found is not None and not found.is_edited and found.content == stamp.content:
            return text
    return None


def _git(path: str, *arguments: str) -> str:
    """What git prints in the directory of a file; "" where there is no git, or no such thing in it."""
    return (asked(os.path.dirname(os.path.abspath(path)), *arguments) or b"").decode("utf-8", "replace")
