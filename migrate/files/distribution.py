"""The package that a distribution is made of, for the folders below it."""

import os

_FILES = ("setup.py", "setup.cfg", "pyproject.toml")


def is_made_in(directory: str) -> bool:
    """Whether a distribution is made of what a directory holds."""
    return any(os.path.exists(os.path.join(directory, name)) for name in _FILES)


def package_around(directory: str) -> str | None:
    """The top package, absolute, that a distribution is made of around a directory; folders need no ``__init__.py``."""
    own = os.path.abspath(directory)
    below: list[str] = []
    while not is_made_in(own):
        if os.path.exists(os.path.join(own, ".git")) or os.path.dirname(own) == own:
            return None
        below.append(own)
        own = os.path.dirname(own)
    if below and os.path.basename(below[-1]) == "src":
        below.pop()
    return below[-1] if below and os.path.exists(os.path.join(below[-1], "__init__.py")) else None
