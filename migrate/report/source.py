"""The text of the files that a report quotes, as Python reads it."""

import os
from collections.abc import Callable, Iterable

from migrate.outcome import FileChange

STDIN = "<stdin>"
"""The path under which findings and changes speak of standard input."""


def source_reader(changes: Iterable[FileChange], stdin: bytes | None) -> Callable[[str], str | None]:
    """A function that gives the text of a file, by its path, as the run read it.

    Args:
      changes: the changes of the run: their files may have been written since.
      stdin: what standard input held where the run read it.

    Returns:
      A function from a path to the file's text, or to None where the file cannot be read as Python reads it.
    """
    before = {change.path: change.before for change in changes}

    def source_of(path: str) -> str | None:
        text = before.get(path)
        if text is not None:
            return text
        if path == STDIN and stdin is not None:
            return _decoded(stdin)
        # A pipe or a device named as PATH would block here.
        if not os.path.isfile(path):
            return None
        try:
            with open(path, "rb") as file:
                return _decoded(file.read())
        except OSError:
            return None

    return source_of


def encoding_of(source: bytes) -> str:
    """The encoding of a Python file: what its byte order mark or its cookie says, else UTF-8.

    Args:
      source: the file, or its first two lines.

    Raises:
      SyntaxError: the cookie names no encoding.
    """
    import tokenize

    lines = iter(source.split(b"\n", 2)[:2])
    return tokenize.detect_encoding(lambda: next(lines, b""))[0]


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode(encoding_of(content))
    except (SyntaxError, UnicodeDecodeError):
        return None
