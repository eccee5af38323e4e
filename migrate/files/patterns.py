"""Patterns of paths, as the settings and CODEOWNERS have them: those of git, but for negation."""

import os
from collections.abc import Iterable, Sequence


class Patterns:
    """Some patterns that are relative to one directory; what is below a directory that one matches is matched too."""

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


def excluding(patterns: Sequence[str], base: str) -> Patterns | None:
    """Some patterns below a directory; None for no pattern."""
    return Patterns(patterns, base) if patterns else None


def is_matched(pattern: str, base: str, path: str) -> bool:
    """Whether a pattern of a directory matches a file below it."""
    return Patterns([pattern], base).match(os.path.realpath(path))
