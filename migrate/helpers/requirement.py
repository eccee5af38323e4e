"""The requirement of the installed package, written where a repository lists what it needs."""

import configparser
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

_NAME = re.split("[<=>]", REQUIREMENT)[0]
_OURS = re.compile(rf"^(\s*){re.escape(_NAME)}\s*([<=>~!].*)?$", re.MULTILINE)
_PROJECT = re.compile(r"^\[project\]\s*$(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
_DEPENDENCIES = re.compile(r"^dependencies\s*=\s*\[", re.MULTILINE)


class RequirementLists(NamedTuple):
    """The lists of a run: the changes that write the requirement, and the programs that have no list.

    Attributes:
      changes: the lists that change.
      unlisted: the programs for which no file was found that lists what they need.
    """

    changes: list[FileChange]
    unlisted: list[str]


def list_requirement(programs: Sequence[str], boundary: Boundary) -> RequirementLists:
    """Puts the requirement into the list of each program: the nearest, from its directory up to the repository's root.

    Args:
      programs: the files that import the package.
      boundary: where the run may write; a list elsewhere stays.
    """
    found: dict[str, FileChange | None] = {}
    unlisted = []
    for path in programs:
        one = _list_of(os.path.dirname(path))
        if one is None or not (one.after == one.before or boundary.holds(os.path.realpath(one.path))):
            unlisted.append(path)
        elif one.path not in found:
            found[one.path] = one if one.after != one.before else None
    return RequirementLists([change for change in found.values() if change is not None], unlisted)


def _list_of(directory: str) -> FileChange | None:
    last = repository(os.path.abspath(directory)) or os.path.abspath(directory)
    while True:
        for name, written in (("requirements.txt", _in_text), ("pyproject.toml", _in_toml), ("setup.cfg", _in_cfg)):
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                try:
                    source = SourceText.decode(path, read(path))
                except Unreadable:
                    continue
                after = written(source.text)
                if after is not None:
                    return FileChange(path, source.text, after, source)
        if os.path.abspath(directory) == last:
            return None
        directory = os.path.dirname(directory) if directory else os.path.dirname(os.path.abspath(directory))


def _in_text(text: str) -> str | None:
    """requirements.txt with the requirement, in the place of another release's."""
    if _OURS.search(text):
        return _OURS.sub(lambda found: found[1] + REQUIREMENT, text)
    newline = "\r\n" if "\r\n" in text else "\n"
    return text + ("" if not text or text.endswith("\n") else newline) + REQUIREMENT + newline


def _in_toml(text: str) -> str | None:
    """pyproject.toml with the requirement; None where its ``[project]`` lists none."""
    project = _PROJECT.search(text)
    start = project and _DEPENDENCIES.search(text, project.start(1), project.end(1))
    if start is None:
        return None
    at, end = start.end(), project.end(1) if project else len(text)
    known = re.compile(rf"""(["']){re.escape(_NAME)}\s*([<=>~!][^"']*)?\1""")
    if known.search(text, at, end):
        return text[:at] + known.sub(f'"{REQUIREMENT}"', text[at:end], count=1) + text[end:]
    margin = re.match(r"[ \t]*\r?\n[ \t]*", text[at:])  # a list of a line each, which a comma may end
    return text[:at] + (margin[0] if margin else "") + f'"{REQUIREMENT}",' + ("" if margin else " ") + text[at:]


def _in_cfg(text: str) -> str | None:
    """setup.cfg with the requirement; None where it lists none."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    if not parser.has_option("options", "install_requires"):
        return None
    if _OURS.search(text):
        return _OURS.sub(lambda found: found[1] + REQUIREMENT, text)
    line = re.search(r"^install_requires[ \t]*=[ \t]*(.*)\n", text, re.MULTILINE)
    if line is None:
        return None
    following = re.match(r"[ \t]+(?=\S)", text[line.end() :])
    indent = following[0] if following else "    "
    first = f"{indent}{line[1].strip()}\n" if line[1].strip() else ""
    head = text[: line.start()] + "install_requires =\n"
    return f"{head}{first}{indent}{REQUIREMENT}\n{text[line.end() :]}"
