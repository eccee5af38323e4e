"""The runtime package ``tf2_recovery``: its fixed files, and which of them a name is in.

A file that another one imports at its top goes with it. What a function imports as it runs goes only with a program
that names it.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from migrate import __version__
from migrate.helpers.stamp import add_stamp

PACKAGE = "tf2_recovery"
"""The name of the package, and of the folder that holds the files beside a program."""

REQUIREMENT = f"tf2-recovery=={__version__}"
"""What installs the same files."""

FIRST = "__init__"
_FOLDER = Path(__file__).parents[1] / "recovery"
_IMPORTED = re.compile(r"^from \.(\w+) import", re.MULTILINE)
_DEFINED = re.compile(r"^(?:(?:class|def) (\w+)|(\w+) = )", re.MULTILINE)


@cache
def public() -> frozenset[str]:
    """The public names of all files."""
    return frozenset(_homes())


def home(name: str) -> str:
    """The file, without its ending, that defines a public name; raises KeyError where none does."""
    return _homes()[name]


@cache
def _homes() -> dict[str, str]:
    named = {stem: defined_in(text) for stem, text in sources().items()}
    return {name: stem for stem, names in named.items() for name in names if not name.startswith("_")}


def defined_in(text: str) -> list[str]:
    """The classes, functions and variables at the top of a file, in order."""
    return [one[1] or one[2] for one in _DEFINED.finditer(text)]


@cache
def sources() -> dict[str, str]:
    """The text of each file, by its name without the ending."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.py"))}


def files_of_names(names: Iterable[str]) -> list[str]:
    """The files of some names and those that they import, sorted; a name of another package needs none."""
    return together([_homes()[name] for name in names if name in _homes()])


def together(stems: Iterable[str]) -> list[str]:
    """Some files and those that they import, sorted."""
    found, waiting = set[str](), [FIRST, *stems]
    while waiting:
        stem = waiting.pop()
        if stem not in found:
            found.add(stem)
            waiting += _imported(stem)
    return sorted(found)


@cache
def _imported(stem: str) -> list[str]:
    """The files that one imports at its top."""
    return _IMPORTED.findall(sources()[stem])


@cache
def text_of(stem: str) -> str:
    """A file as it is copied and installed, with this release at its head."""
    return add_stamp(sources()[stem])


def imports(package: str, names: Iterable[str], aliases: Mapping[str, str]) -> list[str]:
    """The statements that import some names, one a file.

    Args:
      package: the package as the importing file spells it.
      names: the names.
      aliases: other names for those of them whose own names stand for something else there.
    """
    by_file: dict[str, list[str]] = {}
    for name in sorted(names):
        by_file.setdefault(home(name), []).append(f"{name} as {aliases[name]}" if name in aliases else name)
    return [f"from {package}.{stem} import {', '.join(by_file[stem])}" for stem in sorted(by_file)]


def imports_either_way(folder: str, names: Iterable[str], aliases: Mapping[str, str]) -> list[str]:
    """One statement that imports from the folder beside a file, be that run as a script or in its package.

    It asks which of them is so, and hides no error of the import itself.
    """
    inner, bare = ("".join(f"    {one}\n" for one in imports(name, names, aliases)) for name in (f".{folder}", folder))
    return [f"if __package__:\n{inner}else:\n{bare}".rstrip("\n")]
