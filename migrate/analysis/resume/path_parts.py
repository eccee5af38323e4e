"""What the path of a file is made of, and whether two paths may be one file."""

import re
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from migrate.files.parse import KEPT

_FILLED = re.compile(r"\{[^}]*\}|%[-\d.]*[dfs]|\*")
_FILE = re.compile(r"^[^.].*[A-Za-z]{2,}.*\.(h5|hd5|hdf5|h5py|keras|ckpt|weights|hdf|model|mod|tf|index)$")


@dataclass
class PathParts:
    """What the path of a file is made of.

    Attributes:
      texts: its literal parts.
      forms: its literal parts put together, with ``{}`` for what stands between them.
      unknown: what no file of the program gives: flags, settings, parameters.
      is_searched: whether it is searched for in a directory.
      is_downloaded: whether it is fetched from elsewhere, where another job has made it.
    """

    texts: set[str] = field(default_factory=set)
    forms: set[str] = field(default_factory=set)
    unknown: set[Hashable] = field(default_factory=set)
    is_searched: bool = False
    is_downloaded: bool = False

    @cached_property
    def name(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """What settles by itself which saves it may be of; None where more does."""
        last = (frozenset(one.rpartition("/")[2] for one in given) for given in (self.files, self.numbered))
        return (next(last), next(last)) if self.files else None

    @cached_property
    def files(self) -> set[str]:
        """The literal parts that name a file."""
        return {text for text in self.texts if _names_file(text)}

    @cached_property
    def numbered(self) -> set[str]:
        """The names of files that are made of several parts: ``"weights-" + str(epoch) + ".h5"``."""
        return {text for text in self.forms if _names_file(text)}

    @cached_property
    def is_numbered(self) -> bool:
        """Whether the name of the file has a part that is filled in."""
        return any(_FILLED.search(text.rpartition("/")[2]) for text in self.texts | self.forms)


@lru_cache(maxsize=KEPT)
def _names_file(text: str) -> bool:
    return _FILE.search(_FILLED.sub("", text).rpartition("/")[2]) is not None


def is_one_file(saved: PathParts, loaded: PathParts) -> bool:
    """Whether a path that is loaded is one that is saved, or is searched for in its directory."""
    written, read = saved.files, loaded.files
    if any(_matches(one, other) for one in saved.numbered for other in read | loaded.numbered):
        return True
    if written and read:
        return any(_matches(one, other) for one in written for other in read)
    if read or (written and not loaded.is_searched):
        return False  # one of them is named at the start
    if saved.unknown & loaded.unknown:
        return loaded.is_searched or loaded.unknown <= saved.unknown
    places = {bare.rpartition("/")[0] for text in saved.texts if (bare := _bare(text))} | set(map(_bare, saved.texts))
    return any(len(text) > 3 and text in places for text in map(_bare, loaded.texts))


def may_be_of(saved: Iterable[PathParts], loaded: Collection[PathParts]) -> bool:
    """Whether one of the paths that may be loaded is one of those that may be saved."""
    return any(is_one_file(one, other) for one in saved for other in loaded)


def is_one_of(saved: PathParts, loaded: PathParts) -> bool:
    """Whether a file that is loaded has a number where those that are saved have what only the program knows."""
    names = [one.rpartition("/")[2] for one in saved.numbered]
    patterns = [re.compile("(.*)".join(map(re.escape, _FILLED.split(name)))) for name in names]
    found = (one.fullmatch(text.rpartition("/")[2]) for one in patterns for text in loaded.files)
    return any(one is not None and any(re.search(r"\d", part) for part in one.groups()) for one in found)


def _matches(saved: str, loaded: str) -> bool:
    """Whether two file names may be one: what a format fills in may be anything."""
    one, other = saved.rpartition("/")[2], loaded.rpartition("/")[2]
    patterns = ((_filled(one), other), (_filled(other), one))
    return one == other or any(pattern is not None and pattern.fullmatch(text) for pattern, text in patterns)


@lru_cache(maxsize=KEPT)
def _filled(name: str) -> re.Pattern[str] | None:
    """What a file name with parts that are filled in may be; None for one without any."""
    parts = _FILLED.split(name)
    return re.compile(".*".join(map(re.escape, parts))) if len(parts) > 1 else None


def _bare(text: str) -> str:
    return text.strip("./*_- ").strip()
