"""Which file of the tree an import names, found by looking where Python would."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from migrate.files.given_directories import given_directory_of
from migrate.files.repository import repository_of
from migrate.files.run_cache import run_cache
from migrate.files.sources import is_below


class Target(NamedTuple):
    """The file that a dotted name leads into.

    Attributes:
      path: the file, absolute.
      root: the directory, absolute, from which it is imported: a part of ``sys.path``. A guess for a relative import.
      names: what is left of the dotted name inside the file; empty for the module itself.
      other: a second file that the name leads into where the importer is started in another way; None for none.
      package: the directory, absolute, of the package that a relative import starts from; None for an absolute one.
    """

    path: str
    root: str
    names: tuple[str, ...]
    other: str | None = None
    package: str | None = None


def target_from(directory: str, dotted: str) -> Target | None:
    """The file that ``dotted`` leads into, or None where that is no file of the tree.

    The directories are tried as Python would have them: for a relative import its package; else the importer's own
    directory (it may be a script), the one above its package, and those above, up to the root of its git repository,
    or of what the run was given; above the repository only for its own name, where its root is a package.

    Args:
      directory: that of the file with the import, absolute.
      dotted: the name as the import spells it, with leading dots for a relative one: ``..models.model_fn``.
    """
    name = dotted.lstrip(".")
    level, parts = len(dotted) - len(name), tuple(name.split(".")) if name else ()
    if level:
        package = above(directory, level - 1)
        root = above_package(package)
        found = _without_links(directory, _below(package, parts))
        root = root if root != package else os.path.dirname(package)
        return Target(found[0], root, found[1], package=package) if found else None
    found_in = (
        Target(path, root, names)
        for root in _roots(directory, parts[:1])
        for path, names in _targets_below(directory, root, parts)
    )
    first = next(found_in, None)
    if first is None or first.root != directory or above_package(directory) == directory:
        return first
    # A script finds its neighbours, a module of a package does not.
    second = next((found for found in found_in if found.root == above_package(directory)), None)
    # An empty package has nothing that the importer could mean.
    is_empty = (
        second is not None and os.path.basename(second.path) == "__init__.py" and not os.path.getsize(second.path)
    )
    return first if second is None or is_empty else Target(first.path, first.root, first.names, second.path)


def target_below(directory: str, path: str, dotted: str) -> Target | None:
    """The file that an absolute name leads into from another directory that is searched, or None where that is none.

    Args:
      directory: that of the file with the import, absolute.
      path: the other directory, relative to that one or to one above it.
      dotted: the name.
    """
    parts = tuple(dotted.split("."))
    roots = dict.fromkeys(os.path.normpath(os.path.join(root, path)) for root in _roots(directory, parts[:1]))
    return next(
        (Target(found, root, names) for root in roots for found, names in _targets_below(directory, root, parts)), None
    )


_Found = tuple[str, tuple[str, ...]]


def _targets_below(directory: str, root: str, parts: tuple[str, ...]) -> Iterator[_Found]:
    if not _names_in(root).isdisjoint((f"{parts[0]}.py", parts[0])):
        found = _without_links(directory, _below(root, parts))
        if found is not None:
            yield found


def _without_links(directory: str, found: _Found | None) -> _Found | None:
    """What an import leads into, without the symbolic links between the importer and a file of the same tree.

    A walk reads the file at its own place, not at its links.
    """
    if found is None:
        return None
    path, names = found
    beside, name = os.path.split(path)
    real = os.path.realpath(path) if os.path.islink(path) else os.path.join(_real(beside), name)
    shared = os.path.commonpath([directory, path]) if real != path else ""
    if real == path or real == os.path.join(_real(shared), os.path.relpath(path, shared)):
        return found
    root = importing_root(directory)
    inside = os.path.join(_real(root), "")
    return (os.path.join(root, real.removeprefix(inside)), names) if real.startswith(inside) else found


@run_cache
def _real(directory: str) -> str:
    return os.path.realpath(directory)


@run_cache
def _names_in(directory: str) -> frozenset[str]:
    """What a directory holds, as its own names spell it; nothing for none."""
    try:
        return frozenset(os.listdir(directory))
    except OSError:
        return frozenset()


@run_cache
def filled_package(directory: str) -> str | None:
    """The ``__init__.py`` of a package, where it holds anything that an import could run."""
    package = os.path.join(directory, "__init__.py")
    return package if "__init__.py" in _names_in(directory) and os.path.getsize(package) else None


def above(directory: str, levels: int) -> str:
    """The directory so many levels above another one."""
    for _ in range(levels):
        directory = os.path.dirname(directory)
    return directory


def above_package(directory: str) -> str:
    """The directory above the outermost package that ``directory`` belongs to; itself where it is no package."""
    while "__init__.py" in _names_in(directory) and os.path.dirname(directory) != directory:
        directory = os.path.dirname(directory)
    return directory


def importing_root(directory: str) -> str:
    """The directory, absolute, below which the files are that may import those of another one.

    It is the root of the git repository. Where there is none, it is the directory that the run was given, or else the
    one above the outermost package, but none above the current directory, and none above a package whose name no import
    can spell: ``project-main``.
    """
    found, here = repository_of(directory), os.getcwd()
    if found:
        return found
    while (
        directory != here
        and os.path.basename(directory).isidentifier()
        and os.path.exists(os.path.join(directory, "__init__.py"))
    ):
        directory = os.path.dirname(directory)
    return given_directory_of(directory) or directory


def _roots(directory: str, first: tuple[str, ...]) -> Iterator[str]:
    top = _topmost(directory)
    yield directory
    while directory != top:
        directory = os.path.dirname(directory)
        yield directory
    if ".git" in _names_in(top) and (os.path.basename(top),) == first and above_package(top) != top:
        yield os.path.dirname(top)


@run_cache
def _topmost(directory: str) -> str:
    """The highest directory that holds what a file in another one may import.

    It is the root of the git repository. Where there is none, it is the highest of three that hold the file: the one
    above its package, one that the run was given, the current one. A stray module above these is no part of a program.
    """
    found, here = repository_of(directory), os.getcwd()
    if found:
        return found
    around = [above_package(directory), given_directory_of(directory) or directory]
    return min([*around, here] if is_below(directory, here) else around, key=len)


def _below(directory: str, parts: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """The file that ``parts`` lead to from a directory, and the parts that are left; a package before a module."""
    for used, part in enumerate(parts):
        inner, names = os.path.join(directory, part), _names_in(directory)
        if part in names and "__init__.py" in _names_in(inner):
            directory = inner
        elif f"{part}.py" in names and os.path.isfile(f"{inner}.py"):
            return f"{inner}.py", parts[used + 1 :]
        elif part in names and os.path.isdir(inner):
            directory = inner
        else:
            return _package(directory, parts[used:])
    return _package(directory, ())


def _package(directory: str, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    path = os.path.join(directory, "__init__.py")
    return (path, names) if "__init__.py" in _names_in(directory) and os.path.isfile(path) else None
