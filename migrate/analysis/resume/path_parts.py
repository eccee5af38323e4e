"""What the path of a file is made of, and whether two paths may be one file."""

import posixpath
import re
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from migrate.files.run_cache import run_cache

_FILLED = re.compile(r"\{[^}]*\}|%[-\d.]*[dfs]|\*")
_WORD = re.compile(r"\w")
_NUMBER = re.compile(r"\d")
_FILE = re.compile(r"^(?!\.).*[A-Za-z].*\.(h5|hd5|hdf5|h5py|keras|ckpt|weights|hdf|model|mod|tf|index)$")


@dataclass
class PathParts:
    """What the path of a file is made of.

    Attributes:
      spelled: all that it may be, whole, with ``{}`` for what the program fills in while it runs.
      unknown: what no file of the program gives: flags, settings, parameters.
      is_searched: whether it is searched for in a directory.
      is_downloaded: whether it is fetched from elsewhere, where another job has made it.
    """

    spelled: frozenset[str] = frozenset()
    unknown: set[Hashable] = field(default_factory=set)
    is_searched: bool = False
    is_downloaded: bool = False

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of files among what it may be."""
        return frozenset(posixpath.basename(text) for text in self.spelled if _names_file(text))

    @cached_property
    def files(self) -> frozenset[str]:
        """Those that the program's text gives whole."""
        return frozenset(name for name in self.names if not _FILLED.search(name))

    @cached_property
    def numbered(self) -> frozenset[str]:
        """Those of which the program fills in a part: ``"weights-" + str(epoch) + ".h5"``."""
        return self.names - self.files

    @cached_property
    def places(self) -> frozenset[tuple[str, str]] | None:
        """The folder and the name of each file that it may be, by which it is looked up; None where one is open."""
        found = frozenset(posixpath.split(text) for text in self.spelled if _names_file(text))
        is_open = any(not folder or _FILLED.search(folder) or _FILLED.search(name) for folder, name in found)
        return None if is_open or not found else found


@run_cache
def _names_file(text: str) -> bool:
    return _FILE.search(_FILLED.sub("", posixpath.basename(text))) is not None


def is_one_file(saved: PathParts, loaded: PathParts) -> bool:
    """Whether a path that is loaded is one that is saved, or is searched for in its directory."""
    written, read = saved.names, loaded.names
    if written and read:
        return any(_matches(*map(posixpath.basename, pair)) for pair in _in_one_folder(saved, loaded))
    if read or (written and not loaded.is_searched):
        return False  # one of them is named at the start
    if _is_one_path(saved, loaded):
        return True
    return bool(saved.unknown & loaded.unknown) and (loaded.is_searched or loaded.unknown <= saved.unknown)


def may_be_of(saved: Iterable[PathParts], loaded: Collection[PathParts]) -> bool:
    """Whether one of the paths that may be loaded is one of those that may be saved."""
    return any(is_one_file(one, other) for one in saved for other in loaded)


def is_same(loaded: Iterable[PathParts], saved: Collection[PathParts]) -> bool:
    """Whether two paths are one, whatever the program is started with."""
    return any(
        not one.is_searched and one.unknown == other.unknown and (one.unknown or any(map(_tells, both)))
        for one in loaded
        for other in saved
        if (both := one.spelled & other.spelled)
    )


def is_one_of(saved: PathParts, loaded: PathParts) -> bool:
    """Whether a file that the program's text names is one of those that are saved, but for their numbers."""
    patterns = [pattern for one in saved.numbered if (pattern := _filled(one)) is not None]
    filled = (pattern.fullmatch(name) for name in loaded.files for pattern in patterns)
    return any(one is not None and any(map(_NUMBER.search, one.groups())) for one in filled)


def _in_one_folder(saved: PathParts, loaded: PathParts) -> Iterator[tuple[str, str]]:
    """Yields the files of two paths by pairs that may stand in one folder: both that the text gives are the same."""
    for one in (text for text in saved.spelled if _names_file(text)):
        for other in (text for text in loaded.spelled if _names_file(text)):
            folders = {posixpath.dirname(one), posixpath.dirname(other)}
            if len(folders) == 1 or "" in folders or any(_FILLED.search(folder) for folder in folders):
                yield one, other


def _is_one_path(saved: PathParts, loaded: PathParts) -> bool:
    told = ((one, other) for one in saved.spelled for other in loaded.spelled if _tells(one) and _tells(other))
    return any(_matches(one, other) for one, other in told)


def _matches(one: str, other: str) -> bool:
    """Whether two file names may be one: what a format fills in may be anything."""
    patterns = ((_filled(one), other), (_filled(other), one))
    return one == other or any(pattern is not None and pattern.fullmatch(text) for pattern, text in patterns)


@run_cache
def _filled(name: str) -> re.Pattern[str] | None:
    """What a file name with parts that are filled in may be; None for one without any."""
    parts = _FILLED.split(name)
    return re.compile("(.*)".join(map(re.escape, parts))) if len(parts) > 1 else None


def _tells(path: str) -> bool:
    """Whether a path has a part that the program's text gives."""
    return _WORD.search(_FILLED.sub("", path)) is not None
