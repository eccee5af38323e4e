"""The change of one file: its text before and after."""

from typing import NamedTuple

from migrate.files.text import SourceText


class FileChange(NamedTuple):
    """The change of one file.

    Attributes:
      path: the file, as the user named it.
      before: its text with the newlines that it has; None for a file that does not exist yet.
      after: the text that ``--write`` puts there.
      source: the file's text with its encoding; None for a file that does not exist yet.
      needs: the runtime files that ``after`` imports, and those that these import.
      together: the files of its program, itself included, which are written with it or not at all.
    """

    path: str
    before: str | None
    after: str
    source: SourceText | None = None
    needs: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
