"""Finds the file that an import loads, by searching the directories that Python would search."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from migrate.files.given_directories import given_directory_of
from migrate.files.repository import repository_of
from migrate.files.run_cache import run_cache
from migrate.files.sources import is_below


class Target(NamedTuple):
    """The file that an import loads.

    Attributes:
      path: the absolute path of the file.
      root: the absolute directory of ``sys.path`` that it is found in; a guess for a relative import.
      names: the parts of the dotted name inside the file; () for the module itself.
      other: the file that the import loads when the importer runs as a module, not a script; None for the same.
      package: the absolute directory of the package that a relative import starts from; None for an absolute import.
    """

    path: str
    root: str
    names: tuple[str, ...]
    other: str | None = None
    package: str | None = None


def target_from(directory: str, dotted: str) -> Target | None:
    """Returns the file that an import loads, or None if it is outside the tree.

    The search order is Python's. A relative import is searched in its package; an absolute one in the importer's
    directory (as for a script), above its package, and so on up to the root of the git repository or of the paths that
    the run was given. Above the repository, only its own name is searched, if its root is a package.

    Args:
      directory: the absolute directory of the file with the import.
      dotted: the imported name, with leading dots for a relative import: ``..models.model_fn``.
    """
    name = dotted.lstrip(".")
    level, parts = len(dotted) - len(name), tuple(name.split(".")) if name else ()
    if level:
        package = ancestor(directory, level - 1)
        root = directory_above_package(package)
        found = _resolve_links(directory, _file_below(package, parts))
        root = root if root != package else os.path.dirname(package)
        return Target(found[0], root, found[1], package=package) if found else None
    found_in = (
        Target(path, root, names)
        for root in _search_roots(directory, parts[:1])
        for path, names in _targets_below(directory, root, parts)
    )
    first = next(found_in, None)
    if first is None or first.root != directory or directory_above_package(directory) == directory:
        return first
    # A script can import the files of its own directory; a module of a package cannot.
    second = next((found for found in found_in if found.root == directory_above_package(directory)), None)
    # An empty package defines nothing that could be imported.
    is_empty = (
        second is not None and os.path.basename(second.path) == "__init__.py" and not os.path.getsize(second.path)
    )
    return first if second is None or is_empty else Target(first.path, first.root, first.names, second.path)


def target_below(directory: str, path: str, dotted: str) -> Target | None:
    """Returns the file that an absolute import loads from a directory added to ``sys.path``, or None.

    Args:
      directory: the absolute directory of the file with the import.
      path: the added directory, relative to ``directory`` or to one above it.
      dotted: the imported name.
    """
    parts = tuple(dotted.split("."))
    roots = dict.fromkeys(os.path.normpath(os.path.join(root, path)) for root in _search_roots(directory, parts[:1]))
    return next(
        (Target(found, root, names) for root in roots for found, names in _targets_below(directory, root, parts)), None
    )


_Found = tuple[str, tuple[str, ...]]


def _targets_below(directory: str, root: str, parts: tuple[str, ...]) -> Iterator[_Found]:
    if not _entry_names(root).isdisjoint((f"{parts[0]}.py", parts[0])):
        found = _resolve_links(directory, _file_below(root, parts))
        if found is not None:
            yield found


def _resolve_links(directory: str, found: _Found | None) -> _Found | None:
    """Returns an import's file by its real path, if symbolic links lead to it from the same tree.

    The walk over the tree lists files by their real paths, not by links.
    """
    if found is None:
        return None
    path, names = found
    beside, name = os.path.split(path)
    real = os.path.realpath(path) if os.path.islink(path) else os.path.join(_real_path(beside), name)
    shared = os.path.commonpath([directory, path]) if real != path else ""
    if real == path or real == os.path.join(_real_path(shared), os.path.relpath(path, shared)):
        return found
    root = importing_root(directory)
    inside = os.path.join(_real_path(root), "")
    return (os.path.join(root, real.removeprefix(inside)), names) if real.startswith(inside) else found


@run_cache
def _real_path(directory: str) -> str:
    return os.path.realpath(directory)


@run_cache
def _entry_names(directory: str) -> frozenset[str]:
    """Returns the names of a directory's entries; empty if it cannot be listed."""
    try:
        return frozenset(os.listdir(directory))
    except OSError:
        return frozenset()


@run_cache
def nonempty_package(directory: str) -> str | None:
    """Returns the ``__init__.py`` of a package, or None if it is missing or empty."""
    package = os.path.join(directory, "__init__.py")
    return package if "__init__.py" in _entry_names(directory) and os.path.getsize(package) else None


def ancestor(directory: str, levels: int) -> str:
    """Returns the directory that is ``levels`` levels above another."""
    for _ in range(levels):
        directory = os.path.dirname(directory)
    return directory


def directory_above_package(directory: str) -> str:
    """Returns the directory above the outermost package that contains ``directory``; itself if none does."""
    while "__init__.py" in _entry_names(directory) and os.path.dirname(directory) != directory:
        directory = os.path.dirname(directory)
    return directory


def importing_root(directory: str) -> str:
    """Returns the absolute directory that contains every file that may import a file of ``directory``.

    It is the root of the git repository. Without one, it is the directory that the run was given, or else the one above
    the outermost package. The search stops at the current directory, and at a package whose name cannot be imported
    (``project-main``).
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


def _search_roots(directory: str, first: tuple[str, ...]) -> Iterator[str]:
    top = _topmost_root(directory)
    yield directory
    while directory != top:
        directory = os.path.dirname(directory)
        yield directory
    if ".git" in _entry_names(top) and (os.path.basename(top),) == first and directory_above_package(top) != top:
        yield os.path.dirname(top)


@run_cache
def _topmost_root(directory: str) -> str:
    """Returns the highest directory that contains what a file of ``directory`` may import.

    It is the root of the git repository. Without one, it is the highest of the directories that contain the file: the
    one above its package, the one that the run was given, the current one. Modules above are no part of the program.
    """
    found, here = repository_of(directory), os.getcwd()
    if found:
        return found
    around = [directory_above_package(directory), given_directory_of(directory) or directory]
    return min([*around, here] if is_below(directory, here) else around, key=len)


def _file_below(directory: str, parts: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """Returns the file that ``parts`` name below a directory, and the remaining parts; packages take precedence."""
    for used, part in enumerate(parts):
        inner, names = os.path.join(directory, part), _entry_names(directory)
        if part in names and "__init__.py" in _entry_names(inner):
            directory = inner
        elif f"{part}.py" in names and os.path.isfile(f"{inner}.py"):
            return f"{inner}.py", parts[used + 1 :]
        elif part in names and os.path.isdir(inner):
            directory = inner
        else:
            return _package_file(directory, parts[used:])
    return _package_file(directory, ())


def _package_file(directory: str, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    path = os.path.join(directory, "__init__.py")
    return (path, names) if "__init__.py" in _entry_names(directory) and os.path.isfile(path) else None
