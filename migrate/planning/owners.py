"""Who owns a file, by the repository's CODEOWNERS."""

import os
from functools import cache

from migrate.files.patterns import is_matched
from migrate.files.read import regular_bytes
from migrate.files.repository import repository

_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks for the file, in its order."""


def owners(path: str) -> tuple[str, ...]:
    """The owners of a file; none where its repository names none."""
    absolute = os.path.realpath(path)
    root = repository(os.path.dirname(absolute))
    rules = _rules(root) if root is not None else ()
    # The last line that matches wins.
    return next((named for pattern, named in reversed(rules) if root and is_matched(pattern, root, absolute)), ())


@cache
def _rules(root: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    for place in _PLACES:
        try:
            text = regular_bytes(os.path.join(root, place)).decode(errors="replace")
        except OSError:
            continue
        lines = [line.partition(" #")[0].split() for line in text.split("\n") if not line.startswith(("#", "["))]
        # The patterns are git's, but for negation.
        return tuple((words[0], tuple(words[1:])) for words in lines if words)
    return ()
