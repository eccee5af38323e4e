"""Finds the top package of the distribution that a directory belongs to."""

import os

_FILES = ("setup.py", "setup.cfg", "pyproject.toml")


def is_distribution_root(directory: str) -> bool:
    """Whether a directory has the build configuration of a distribution."""
    return any(os.path.exists(os.path.join(directory, name)) for name in _FILES)


def package_around(directory: str) -> str | None:
    """Returns the absolute path of the top package around a directory in a distribution; None if there is none."""
    own = os.path.abspath(directory)
    below: list[str] = []
    while not is_distribution_root(own):
        if os.path.exists(os.path.join(own, ".git")) or os.path.dirname(own) == own:
            return None
        below.append(own)
        own = os.path.dirname(own)
    if below and os.path.basename(below[-1]) == "src":
        below.pop()
    return below[-1] if below and os.path.exists(os.path.join(below[-1], "__init__.py")) else None
