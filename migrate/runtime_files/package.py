"""The runtime package ``tf2_recovery``: its fixed files, which of them a name is in, and the stamp at their heads.

A file is named by its path in the package without its ending: ``keras/workers``. With it goes its folder's ``__init__``
and what it imports at its top. What a function imports as it runs goes only with a program that names it.
"""

import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cache
from glob import glob
from typing import NamedTuple

from migrate import __version__
from migrate.files.sources import MARK

PACKAGE = "tf2_recovery"
"""The name of the package, and of the folder that holds the files beside a program."""

REQUIREMENT = f"tf2-recovery=={__version__}"
"""What installs the same files."""

FIRST = "__init__"
_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "recovery")
_IMPORTED = re.compile(r"^from (\.+)([\w.]+) import", re.MULTILINE)
_DEFINED = re.compile(r"^(?:(?:class|def) (\w+)|(\w+) = )", re.MULTILINE)


@cache
def public() -> frozenset[str]:
    """The public names of all files."""
    return frozenset(_homes())


def home(name: str) -> str:
    """The file that defines a public name; raises KeyError where none does."""
    return _homes()[name]


@cache
def _homes() -> dict[str, str]:
    named = {file: definitions_in(text) for file, text in sources().items()}
    return {name: file for file, names in named.items() for name in names if not name.startswith("_")}


def definitions_in(text: str) -> list[str]:
    """The classes, functions and variables at the top of a file, in order."""
    return [one[1] or one[2] for one in _DEFINED.finditer(text)]


@cache
def sources() -> dict[str, str]:
    """The text of each file."""
    found: dict[str, str] = {}
    for path in sorted(glob("**/*.py", root_dir=_FOLDER, recursive=True)):
        with open(os.path.join(_FOLDER, path), encoding="utf-8") as file:
            found[path.removesuffix(".py").replace(os.sep, "/")] = file.read()
    return found


def files_of_names(names: Iterable[str]) -> list[str]:
    """The files of some names and those that they import, sorted; a name of another package needs none."""
    return together([_homes()[name] for name in names if name in _homes()])


def together(files: Iterable[str]) -> list[str]:
    """Some files and those that they import, sorted."""
    found, waiting = set[str](), [FIRST, *files]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += [posixpath.join(posixpath.dirname(file), FIRST), *_imported_files(file)]
    return sorted(found)


@cache
def _imported_files(file: str) -> list[str]:
    above = {".": posixpath.dirname(file), "..": ""}
    return [
        posixpath.join(above[dots], dotted.replace(".", "/")) for dots, dotted in _IMPORTED.findall(sources()[file])
    ]


def folder_of(path: str) -> str:
    """The folder of the package, or of a copy of it, that holds one of its files, by the file's path."""
    directory, name = posixpath.split(path.replace(os.sep, "/"))
    is_inside = f"{posixpath.basename(directory)}/{name.removesuffix('.py')}" in sources()
    return os.path.dirname(os.path.dirname(path)) if is_inside else os.path.dirname(path)


@cache
def text_of(file: str) -> str:
    """A file as it is copied and installed, with this release at its head."""
    return add_stamp(sources()[file])


def imports(package: str, names: Iterable[str], aliases: Mapping[str, str]) -> list[str]:
    """The statements that import some names, one a file.

    Args:
      aliases: other names for those of them whose own names stand for something else there.
    """
    by_file: dict[str, list[str]] = {}
    for name in sorted(names):
        by_file.setdefault(home(name), []).append(f"{name} as {aliases[name]}" if name in aliases else name)
    dotted = {file: f"{package}.{file.replace('/', '.')}" for file in sorted(by_file)}
    return [f"from {dotted[file]} import {', '.join(by_file[file])}" for file in dotted]


def imports_either_way(folder: str, names: Iterable[str], aliases: Mapping[str, str]) -> list[str]:
    """One statement that imports names from the folder beside a file, be that run as a script or in its package.

    It asks which of them is so, and hides no error of the import itself.
    """
    inner, bare = ("".join(f"    {one}\n" for one in imports(name, names, aliases)) for name in (f".{folder}", folder))
    return [f"if __package__:\n{inner}else:\n{bare}".rstrip("\n")] if bare else []


_STAMP = re.compile(rf"{MARK} (\S+) \(content ([0-9a-f]+)\)")
_HEAD = re.compile(rf"\A\ufeff?(?:[ \t]*(?:#.*)?\r?\n)*?# .*{_STAMP.pattern}.*(?:\r?\n|\Z)")


class Stamp(NamedTuple):
    """What a file says of itself.

    Attributes:
      is_edited: whether it holds anything else than that release wrote. Its layout does not count.
      content: the digest of what that release wrote.
    """

    version: str
    is_edited: bool
    content: str

    @property
    def is_of_this_release(self) -> bool:
        return self.version == __version__


def add_stamp(text: str) -> str:
    """A file of the package with this release at its head."""
    return f"# Part of tf2_recovery, {MARK} {__version__} (content {content(text)}).\n{text}"


def content(text: str) -> str:
    """The digest of what stands in a file, whatever its layout."""
    from hashlib import sha256

    return sha256("".join(text.split()).encode()).hexdigest()[:16]


def read_stamp(text: str) -> Stamp | None:
    """The stamp of a file of the package; None for any other file."""
    head = _HEAD.match(text) if MARK in text else None
    return None if head is None else Stamp(head[1], content(text[head.end() :]) != head[2], head[2])
