"""The parts of a file path, and whether two paths may name one file."""

import posixpath
import re
from collections.abc import Collection, Hashable, Iterable, Iterator
from functools import cached_property

from migrate.files.run_cache import run_cache
from migrate.records import dataclass, field

_PLACEHOLDER = re.compile(r"\{[^}]*\}|%[-\d.]*[dfs]|\*")
_WORD = re.compile(r"\w")
_NO_LETTER = re.compile(r"[\W\d_]+")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_FILE = re.compile(r"^(?!\.).*[A-Za-z].*\.(h5|hd5|hdf5|h5py|keras|ckpt|weights|hdf|model|mod|tf|index)$")


@dataclass
class PathParts:
    """The parts of a file path.

    Attributes:
      spelled: every text that the path may have, with ``{}`` for what is known only at run time.
      unknown: the parts that no file of the program sets: flags, settings, parameters.
      is_searched: whether the path is the result of a search in a directory.
    """

    spelled: frozenset[str] = frozenset()
    unknown: set[Hashable] = field(default_factory=set)
    is_searched: bool = False

    @cached_property
    def names(self) -> frozenset[str]:
        """The file names that the path may end in."""
        return frozenset(posixpath.basename(text) for text in self.spelled if _names_file(text))

    @cached_property
    def places(self) -> frozenset[tuple[str, str]] | None:
        """The folder and name of each file that the path may be; None if one of them is not certain."""
        found = frozenset(posixpath.split(text) for text in self.spelled if _names_file(text))
        is_open = any(not folder or _PLACEHOLDER.search(folder) or _PLACEHOLDER.search(name) for folder, name in found)
        return None if is_open or not found else found


@run_cache
def _names_file(text: str) -> bool:
    return _FILE.search(_PLACEHOLDER.sub("", posixpath.basename(text))) is not None


def is_one_file(saved: PathParts, loaded: PathParts) -> bool:
    """Whether a loaded path may be a saved one, or may be found by a search in its directory."""
    written, read = saved.names, loaded.names
    if written and read:
        return any(_matches(*map(posixpath.basename, pair)) for pair in _pairs_in_one_folder(saved, loaded))
    if read:  # a constant, which the program may save by a name of its own: ``f"weights/{net.name}.h5"``
        return any(_matches(one, other) for one in saved.spelled if _has_folder(one) for other in loaded.spelled)
    if written and not loaded.is_searched:
        return False
    known = [[text for text in one.spelled if _has_constant_part(text)] for one in (saved, loaded)]
    if any(_matches(one, other) for one in known[0] for other in known[1]):
        return True
    return bool(saved.unknown & loaded.unknown) and (loaded.is_searched or loaded.unknown <= saved.unknown)


def may_be_of(saved: Iterable[PathParts], loaded: Collection[PathParts]) -> bool:
    """Whether one of some loaded paths may be one of some saved paths."""
    return any(is_one_file(one, other) for one in saved for other in loaded)


def is_same(loaded: Iterable[PathParts], saved: Collection[PathParts]) -> bool:
    """Whether two paths are the same in every run, or differ only in a number."""
    return any(_is_same(one, other) for one in loaded if not one.is_searched for other in saved)


def _is_same(one: PathParts, other: PathParts) -> bool:
    both = one.spelled & other.spelled
    if both and one.unknown == other.unknown and (one.unknown or any(map(_has_constant_part, both))):
        return True
    names = (tuple(map(posixpath.basename, pair)) for pair in _pairs_in_one_folder(one, other))
    return any(_is_numbered(*pair) for pair in names)


def have_like_names(loaded: Iterable[PathParts], saved: Collection[PathParts], *, by_words: bool) -> bool:
    """Whether two paths end in one name or, ``by_words``, one name has all words of the other: ``best_net.h5``."""
    names = [{name for each in paths for name in each.names} for paths in (loaded, saved)]
    words = [{found for name in each if (found := _words_of(name))} for each in names]
    return bool(names[0] & names[1]) or (by_words and any(a <= b or b <= a for a in words[0] for b in words[1]))


def _words_of(name: str) -> frozenset[str]:
    return frozenset(map(str.lower, _WORDS.findall(_PLACEHOLDER.sub("", name).rpartition(".")[0])))


def _is_numbered(one: str, other: str) -> bool:
    """Whether two file names differ only in a number that the program fills in: ``ep039.h5``, ``ep{}.h5``."""
    is_filled = _PLACEHOLDER.search(one) is not None or _PLACEHOLDER.search(other) is not None
    is_named = _letters(one.partition(".")[0]) != ""
    return one == other or (is_filled and is_named and _letters(one) == _letters(other))


def _letters(path: str) -> str:
    return _NO_LETTER.sub("", _PLACEHOLDER.sub("", path))


def _pairs_in_one_folder(saved: PathParts, loaded: PathParts) -> Iterator[tuple[str, str]]:
    """Yields the pairs of files of two paths that may be in one folder."""
    for one in (text for text in saved.spelled if _names_file(text)):
        for other in (text for text in loaded.spelled if _names_file(text)):
            folders = {posixpath.dirname(one), posixpath.dirname(other)}
            if len(folders) == 1 or "" in folders or any(_PLACEHOLDER.search(folder) for folder in folders):
                yield one, other


def _matches(one: str, other: str) -> bool:
    """Whether two file names may be the same, if ``{}`` is anything."""
    patterns = ((_pattern_of(one), other), (_pattern_of(other), one))
    matched = (pattern is not None and pattern.fullmatch(text) for pattern, text in patterns)
    return _is_numbered(one, other) or any(matched)


@run_cache
def _pattern_of(name: str) -> re.Pattern[str] | None:
    """Returns a pattern for a file name with ``{}``; None for one without."""
    parts = _PLACEHOLDER.split(name)
    return re.compile("(.*)".join(map(re.escape, parts))) if len(parts) > 1 else None


def _has_folder(path: str) -> bool:
    """Whether the folder of a path is a constant."""
    folder = posixpath.dirname(path)
    return folder != "" and _PLACEHOLDER.search(folder) is None


def _has_constant_part(path: str) -> bool:
    """Whether a path has a part that is a constant."""
    return _WORD.search(_PLACEHOLDER.sub("", path)) is not None
