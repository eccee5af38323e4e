"""Which files are read for code, where they lie, and which of them this tool has written."""

import os

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", NOTEBOOK)


def is_below(path: str, directory: str) -> bool:
    """Whether a file or directory lies in a directory, or is it; both absolute."""
    return path == directory or path.startswith(os.path.join(directory, ""))


MARK = "written by estimator-migrate"
"""Stands in the head of a file of the runtime package, so that the tool knows its own files again."""
_HEAD = 300
"""So many characters a head has at most, a comment of the user's above it included."""


def is_generated(text: str) -> bool:
    """Whether a text is a runtime file of some release, edited since or not: no migration changes it."""
    return MARK in text[:_HEAD]
