"""A file as it is and as it would be."""

from typing import NamedTuple

from migrate.files.text import SourceText


class FileChange(NamedTuple):
    """One file as it is and as it would be.

    Attributes:
      path: the file, as the user named it.
      before: its text with its own newlines, or None for a file that does not exist yet.
      after: the text that ``--write`` puts there.
      source: how the file's text stands in bytes; None for a file that does not exist yet.
      needs: the runtime files that ``after`` imports, and those that these import.
      together: the files of its program, itself included, which are written with it or not at all.
    """

    path: str
    before: str | None
    after: str
    source: SourceText | None = None
    needs: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
