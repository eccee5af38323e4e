"""Tells which files contain code, whether they are below a directory, and whether this tool has written them."""

import os
import re

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", NOTEBOOK)
JOURNAL = ".migrate-journal"
"""The name of the file in each directory of a write, until it ends."""
_TEST = re.compile(r"(test_.*|.*_test|conftest)\.py")


def is_below(path: str, directory: str) -> bool:
    """Whether an absolute path is a directory or below it."""
    return path == directory or path.startswith(os.path.join(directory, ""))


def is_test(path: str) -> bool:
    """Whether a file is a test by its own name; its folders may be above the user's project."""
    return _TEST.fullmatch(os.path.basename(path)) is not None


MARK = "written by estimator-migrate"
"""Text in the head of each runtime file, by which the tool recognizes its own files."""
_HEAD = 300
"""The length of the head in characters, including a comment that the user put above."""


def is_generated(text: str) -> bool:
    """Whether a text is a runtime file of any release, edited or not, which no migration changes."""
    return MARK in text[:_HEAD]
