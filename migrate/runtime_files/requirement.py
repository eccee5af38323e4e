"""Adds the runtime package to ``requirements.txt``, and finds each ``setup.py`` that has to list runtime folders."""

import ast
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from migrate.analysis.source.arguments import literal
from migrate.edits.file_change import FileChange
from migrate.files.boundary import Boundary
from migrate.files.parse import parse
from migrate.files.read import read
from migrate.files.repository import repository
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.runtime_files.package import REQUIREMENT

_OWN_LINE = re.compile(rf"^(\s*){re.escape(REQUIREMENT.partition('==')[0])}\s*([<=>~!].*)?$", re.MULTILINE)


class RequirementLists(NamedTuple):
    """The lists of requirements of a run.

    Attributes:
      unlisted: the programs for which no list was found.
    """

    changes: list[FileChange]
    unlisted: list[str]


def list_requirement(programs: Sequence[str], boundary: Boundary) -> RequirementLists:
    """Adds the requirement to the list of each program, the nearest one up to the repository's root."""
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
            return FileChange(path, source.text, _add_requirement(source.text), source)
        if os.path.abspath(directory) == last:
            return None
        directory = os.path.dirname(directory) if directory else os.path.dirname(os.path.abspath(directory))


def _add_requirement(text: str) -> str:
    """Returns the text of a list with the requirement, which replaces that of another release."""
    if _OWN_LINE.search(text):
        return _OWN_LINE.sub(lambda found: found[1] + REQUIREMENT, text)
    newline = "\r\n" if "\r\n" in text else "\n"
    return text + ("" if not text or text.endswith("\n") else newline) + REQUIREMENT + newline


def unlisted_packages(folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields pairs of a ``setup.py`` and a runtime folder, as a dotted package, that it should list but does not."""
    named = {os.path.abspath(folder) for folder in folders}
    for folder in sorted(folders):
        around = os.path.dirname(os.path.abspath(folder))
        while around in named:
            around = os.path.dirname(around)
        root = around
        while os.path.exists(os.path.join(root, "__init__.py")):
            root = os.path.dirname(root)
        outer, dotted = (os.path.relpath(one, root).replace(os.sep, ".") for one in (around, os.path.abspath(folder)))
        for place in (root, os.path.dirname(root)):
            setup = os.path.join(place, "setup.py")
            packages = _packages(setup) if os.path.isfile(setup) else ()
            if outer in packages and dotted not in packages:
                yield os.path.relpath(setup) if not os.path.isabs(folder) else setup, dotted


def _packages(path: str) -> tuple[str, ...]:
    """Returns the literal names in ``setup(packages=[…])`` of a file."""
    try:
        tree = parse(SourceText.decode(path, read(path)))
    except (OSError, Unreadable):
        return ()
    calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call))
    given = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "packages"]
    values = [value for one in given if isinstance(value := literal(one), list | tuple)]
    return tuple(name for value in values for name in value)
