"""The requirement of the installed package, written into the ``requirements.txt`` of the programs that import it."""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from migrate.edits.file_change import FileChange
from migrate.files.boundary import Boundary
from migrate.files.read import read
from migrate.files.repository import repository
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.helpers.package import REQUIREMENT

_OURS = re.compile(rf"^(\s*){re.escape(REQUIREMENT.partition('==')[0])}\s*([<=>~!].*)?$", re.MULTILINE)


class RequirementLists(NamedTuple):
    """The lists of a run.

    Attributes:
      unlisted: the programs for which no file was found that lists what they need.
    """

    changes: list[FileChange]
    unlisted: list[str]


def list_requirement(programs: Sequence[str], boundary: Boundary) -> RequirementLists:
    """Puts the requirement into the list of each program: the nearest up to the repository's root."""
    found: dict[str, FileChange] = {}
    unlisted = []
    for program in programs:
        one = _list_of(os.path.dirname(program))
        if one is None or not (one.after == one.before or boundary.holds(os.path.realpath(one.path))):
            unlisted.append(program)
        else:
            found[one.path] = one
    return RequirementLists([one for one in found.values() if one.after != one.before], unlisted)


def _list_of(directory: str) -> FileChange | None:
    last = repository(os.path.abspath(directory)) or os.path.abspath(directory)
    while True:
        path = os.path.join(directory, "requirements.txt")
        if os.path.isfile(path):
            try:
                source = SourceText.decode(path, read(path))
            except Unreadable:
                return None
            return FileChange(path, source.text, _with_requirement(source.text), source)
        if os.path.abspath(directory) == last:
            return None
        directory = os.path.dirname(directory) if directory else os.path.dirname(os.path.abspath(directory))


def _with_requirement(text: str) -> str:
    """A list with the requirement, in the place of another release's."""
    if _OURS.search(text):
        return _OURS.sub(lambda found: found[1] + REQUIREMENT, text)
    newline = "\r\n" if "\r\n" in text else "\n"
    return text + ("" if not text or text.endswith("\n") else newline) + REQUIREMENT + newline
