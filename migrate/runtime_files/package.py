"""The runtime package ``tf2_recovery``: its files, the names that they define, and the stamp in their heads.

A file is named by its path in the package without suffix: ``keras/workers``. It needs its folder's ``__init__`` and the
files that it imports at its top. A file that only a function imports is added for programs that use its names.
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
"""The name of the package, and of the folder with its files next to a program."""

REQUIREMENT = f"tf2-recovery=={__version__}"
"""The requirement that installs the same files."""

FIRST = "__init__"
_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "recovery")
_IMPORT = re.compile(r"\nfrom (\.+)([\w.]+) import")
_DEFINITION = re.compile(r"\n(?:class |def |(?=\w+ = ))(\w+)")


@cache
def public_names() -> frozenset[str]:
    """Returns the public names of all files."""
    return frozenset(_defining_files())


def defining_file(name: str) -> str:
    """Returns the file that defines a public name; raises KeyError if none does."""
    return _defining_files()[name]


@cache
def _defining_files() -> dict[str, str]:
    definitions = {file: definitions_in(text) for file, text in sources().items()}
    return {name: file for file, names in definitions.items() for name in names if not name.startswith("_")}


def definitions_in(text: str) -> list[str]:
    """Returns the classes, functions and variables at the top of a file, in order."""
    return _DEFINITION.findall(text)


@cache
def sources() -> dict[str, str]:
    """Maps each file to its text."""
    found: dict[str, str] = {}
    for path in sorted(glob("**/*.py", root_dir=_FOLDER, recursive=True)):
        with open(os.path.join(_FOLDER, path), "rb", buffering=0) as file:
            found[path.removesuffix(".py").replace(os.sep, "/")] = file.read().decode()
    return found


def files_of_names(names: Iterable[str]) -> list[str]:
    """Returns the files that define some names and those that they import, sorted; ignores names of other packages."""
    return with_imported_files([_defining_files()[name] for name in names if name in _defining_files()])


def with_imported_files(files: Iterable[str]) -> list[str]:
    """Returns some files and those that they import, sorted."""
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
    return [posixpath.join(above[dots], dotted.replace(".", "/")) for dots, dotted in _IMPORT.findall(sources()[file])]


def folder_of(path: str) -> str:
    """Returns the folder of the package, or of a copy of it, from the path of one of its files."""
    directory, name = posixpath.split(path.replace(os.sep, "/"))
    is_inside = f"{posixpath.basename(directory)}/{name.removesuffix('.py')}" in sources()
    return os.path.dirname(os.path.dirname(path)) if is_inside else os.path.dirname(path)


@cache
def text_of(file: str) -> str:
    """Returns the text of a file to copy or install, with the stamp of this release."""
    return add_stamp(sources()[file])


def imports(package: str, names: Iterable[str], aliases: Mapping[str, str]) -> list[str]:
    """Returns the statements that import some names, one for each file.

    Args:
      aliases: name -> alias, for names that mean something else in the importing file.
    """
    by_file: dict[str, list[str]] = {}
    for name in sorted(names):
        by_file.setdefault(defining_file(name), []).append(f"{name} as {aliases[name]}" if name in aliases else name)
    dotted = {file: f"{package}.{file.replace('/', '.')}" for file in sorted(by_file)}
    return [f"from {dotted[file]} import {', '.join(by_file[file])}" for file in dotted]


def imports_either_way(folder: str, names: Iterable[str], aliases: Mapping[str, str]) -> list[str]:
    """Returns an ``if`` statement that imports names from the folder next to a file, run as a script or in a package.

    It tests ``__package__``, so that it does not hide an ImportError.
    """
    inner, bare = ("".join(f"    {one}\n" for one in imports(name, names, aliases)) for name in (f".{folder}", folder))
    return [f"if __package__:\n{inner}else:\n{bare}".rstrip("\n")] if bare else []


_STAMP = re.compile(rf"{MARK} (\S+) \(content ([0-9a-f]+)\)")
_HEAD = re.compile(rf"\A\ufeff?(?:[ \t]*(?:#.*)?\r?\n)*?# .*{_STAMP.pattern}.*(?:\r?\n|\Z)")


class Stamp(NamedTuple):
    """The stamp in the head of a runtime file.

    Attributes:
      is_edited: whether the file has changed since, in more than white space.
      content: the digest of what that release wrote.
    """

    version: str
    is_edited: bool
    content: str

    @property
    def is_of_this_release(self) -> bool:
        return self.version == __version__


def add_stamp(text: str) -> str:
    """Returns a file of the package with the stamp of this release."""
    return f"# Part of tf2_recovery, {MARK} {__version__} (content {content(text)}).\n{text}"


def content(text: str) -> str:
    """Returns the digest of a file's text without its white space."""
    from hashlib import sha256

    return sha256("".join(text.split()).encode()).hexdigest()[:16]


def read_stamp(text: str) -> Stamp | None:
    """Returns the stamp of a runtime file; None for any other file."""
    head = _HEAD.match(text) if MARK in text else None
    return None if head is None else Stamp(head[1], content(text[head.end() :]) != head[2], head[2])
