"""Which files are read for code, and where they lie."""

import os

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", NOTEBOOK)


def is_below(path: str, directory: str) -> bool:
    """Whether a file or directory lies in a directory, or is it; both absolute."""
    return path == directory or path.startswith(os.path.join(directory, ""))
