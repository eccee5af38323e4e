"""Which files of a run a change can influence: those that imports, or one folder of helpers, join with it."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from migrate.analysis.seeming_imports import import_lines
from migrate.files.prefilter import may_hold_site, may_train_imported, without_pictures
from migrate.files.sources import NOTEBOOK
from migrate.files.trouble import Unreadable

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Known:
    """What joins a file with others; of a changed one, what joins it by either text.

    Attributes:
      words: those of its import statements.
      searched: all words of a file that names ``sys.path``, of which the directories on it are made; else none.
      holds_site: whether it may hold a site.
      names_estimator: whether it holds that word.
      lacks_estimator: whether it trains or configures an estimator that another file makes.
    """

    words: frozenset[str]
    searched: frozenset[str]
    holds_site: bool
    names_estimator: bool
    lacks_estimator: bool

    def __or__(self, other: "Known") -> "Known":
        return Known(
            self.words | other.words,
            self.searched | other.searched,
            self.holds_site or other.holds_site,
            self.names_estimator or other.names_estimator,
            self.lacks_estimator or other.lacks_estimator,
        )


def known(path: str, data: bytes, makes_estimator: bool = False) -> Known:
    """What joins a file of these bytes with others."""
    # In a notebook's JSON a line's end is two characters.
    plain = without_pictures(data).replace(b"\\n", b"  ") if path.endswith(NOTEBOOK) else data
    words = frozenset(_words(b" ".join(import_lines(plain))))
    searched = frozenset(_words(plain)) if b"sys.path" in plain else frozenset[str]()
    names_estimator = b"stimator" in data
    lacks_estimator = False
    if names_estimator and not makes_estimator:
        from migrate.analysis.facts import facts_of, source_of

        with suppress(Unreadable):  # of these bytes: what a run knows of the file may be older
            lacks_estimator = facts_of(source_of(os.path.abspath(path), data)).lacks_estimator
    holds_site = may_hold_site(data) or may_train_imported(data)
    return Known(words, searched, holds_site, names_estimator, lacks_estimator)


def _words(data: bytes) -> list[str]:
    return _WORD.findall(data.decode(errors="replace"))


def influenced(files: Mapping[str, Known], changed: Collection[str]) -> set[str]:
    """The files of which another thing may be found after a change, the changed ones included.

    The joints are taken wide: an import is joined with all that its words could mean wherever Python may look.

    Args:
      files: every file before or after the change, absolute.
      changed: those that are new, gone or have other bytes.
    """
    joints: dict[str, set[str]] = {path: set() for path in files}
    for one, other in [*_imports(files), *_near(files), *_beside(files)]:
        joints[one].add(other)
        joints[other].add(one)
    found, waiting = set[str](), [*changed]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += joints[path]
    return found


def _imports(files: Mapping[str, Known]) -> Iterator[tuple[str, str]]:
    """The files that an import of another may run, with it; those of the packages above it too."""
    named: dict[str, list[str]] = {}
    for path in files:
        directory, name = os.path.split(path)
        stem = name.rpartition(".")[0]
        named.setdefault(os.path.basename(directory) if stem == "__init__" else stem, []).append(path)
    for path, one in files.items():
        above = os.path.dirname(path)
        while above != os.path.dirname(above):
            package = os.path.join(above, "__init__.py")
            if package in files:
                yield path, package
            above = os.path.dirname(above)
        for word in one.words & named.keys():
            yield from ((path, other) for other in named[word] if _leads(path, other, one))


def _leads(path: str, other: str, one: Known) -> bool:
    """Whether the words of a file may lead to another from a directory that holds both."""
    directory = os.path.dirname(other)
    inner = os.path.relpath(directory, os.path.commonpath([os.path.dirname(path), directory]))
    parts = [] if inner == "." else inner.split(os.sep)
    return all(part in one.words or (one.searched and one.searched.issuperset(_WORD.findall(part))) for part in parts)


def _near(files: Mapping[str, Known]) -> Iterator[tuple[str, str]]:
    """The files that may make the estimator that another trains: those of ``Tree.near``."""
    for path in (path for path, one in files.items() if one.lacks_estimator):
        above = os.path.join(os.path.dirname(os.path.dirname(path)), "")
        yield from ((path, other) for other in files if other.startswith(above) and files[other].names_estimator)


def _beside(files: Mapping[str, Known]) -> Iterator[tuple[str, str]]:
    """The files of a directory that may share a folder of helpers."""
    first: dict[str, str] = {}
    for path in (path for path, one in files.items() if one.holds_site):
        yield path, first.setdefault(os.path.dirname(path), path)
