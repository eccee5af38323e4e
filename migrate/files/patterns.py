"""Patterns of paths in settings and CODEOWNERS: those of ``.gitignore`` without negation."""

import os
from collections.abc import Iterable, Sequence


class Patterns:
    """Patterns relative to one directory; a pattern that matches a directory matches everything below it too."""

    def __init__(self, patterns: Iterable[str], base: str) -> None:
        from pathspec import GitIgnoreSpec  # most runs have no pattern

        self._base = os.path.join(os.path.realpath(base), "")
        self._spec = GitIgnoreSpec.from_lines(patterns)

    def match(self, path: str, is_directory: bool = False) -> bool:
        """Whether a pattern matches a path.

        Args:
          path: an absolute path without symbolic links above its last part.
        """
        below = path.removeprefix(self._base) + os.sep * is_directory
        return path.startswith(self._base) and self._spec.match_file(below)


def patterns_or_none(patterns: Sequence[str], base: str) -> Patterns | None:
    """Returns the patterns relative to a directory; None if there is no pattern."""
    return Patterns(patterns, base) if patterns else None


def matches_pattern(pattern: str, base: str, path: str) -> bool:
    """Whether a pattern that is relative to a directory matches a file below it."""
    return Patterns([pattern], base).match(os.path.realpath(path))
