"""Tells which files contain code, whether they are below a directory, and whether this tool has written them."""

import os

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", NOTEBOOK)
JOURNAL = ".migrate-journal"
"""The name of the file in each directory of a write, until it ends."""


def is_below(path: str, directory: str) -> bool:
    """Whether an absolute path is a directory or below it."""
    return path == directory or path.startswith(os.path.join(directory, ""))


MARK = "written by estimator-migrate"
"""Text in the head of each runtime file, by which the tool recognizes its own files."""
_HEAD = 300
"""The length of the head in characters, including a comment that the user put above."""


def is_generated(text: str) -> bool:
    """Whether a text is a runtime file of any release, edited or not, which no migration changes."""
    return MARK in text[:_HEAD]
