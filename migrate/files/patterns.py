"""Patterns of paths, as the settings and CODEOWNERS have them."""

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase


class Patterns:
    """Some patterns that are relative to one directory.

    A pattern without a slash is of a name at any depth, one with a slash of a path below the directory; ``**`` stands
    for any number of directories, a slash at the end for directories alone. What is below a directory that a pattern
    matches is matched too.
    """

    def __init__(self, patterns: Iterable[str], base: str) -> None:
        self._base = os.path.join(os.path.realpath(base), "")
        self._patterns = [_parts(pattern) for pattern in patterns]

    def match(self, path: str, is_directory: bool = False) -> bool:
        """Whether a pattern matches a path.

        Args:
          path: an absolute path without symbolic links above its last part.
        """
        if not path.startswith(self._base):
            return False
        parts = path[len(self._base) :].split(os.sep)
        below = [*parts, ""] if is_directory else parts
        return any(_begins(pattern, below) for pattern in self._patterns)


def excluding(patterns: Sequence[str], base: str) -> Patterns | None:
    """Some patterns below a directory; None for no pattern."""
    return Patterns(patterns, base) if patterns else None


def is_matched(pattern: str, base: str, path: str) -> bool:
    """Whether a pattern of a directory matches a file below it."""
    return Patterns([pattern], base).match(os.path.realpath(path))


def _parts(pattern: str) -> list[str]:
    """The parts of a pattern between slashes; the last one is empty for one of directories alone."""
    parts = pattern.removeprefix("/").split("/")
    return parts if "/" in pattern.removesuffix("/") else ["**", *parts]


def _begins(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the first parts of a path are those of a pattern."""
    if not pattern or pattern == [""]:
        return len(parts) >= len(pattern)
    if pattern[0] == "**":
        return any(_begins(pattern[1:], parts[start:]) for start in range(len(parts)))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _begins(pattern[1:], parts[1:])
