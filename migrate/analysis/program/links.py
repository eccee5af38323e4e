"""The imports of one file by another, as the files are on disk; each is searched once in a run."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from migrate.analysis.program.facts import imports_at, possible_imports_at
from migrate.analysis.source.imports import Target, nonempty_package, target_below, target_from
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import MAX_STEPS
from migrate.files.run_cache import run_cache
from migrate.files.sources import NOTEBOOK
from migrate.files.trouble import Unreadable

if TYPE_CHECKING:
    from migrate.analysis.program.tree import Tree


class Link(NamedTuple):
    """One import of one file by another."""

    importer: str
    target: Target
    line: int


@run_cache
def links_at(path: str) -> tuple[Link, ...]:
    imports = imports_at(path)
    return links_of(path, imports.names, imports.search_path)


@run_cache
def imports_file_at(path: str, own: str, part: str) -> bool:
    """Whether ``path`` imports ``own``; it is parsed only if it seems to, as most files mean another module."""
    if not path.endswith(NOTEBOOK):
        possible, searches = possible_imports_at(path)
        names = tuple((name, 1) for name in possible if not part or part in name.split("."))
        if not searches and all(link.target.path != own for link in _all_links(path, names, ())):
            return False
    return any(link.target.path == own for link in links_at(path))


def links_of(importer: str, imports: tuple[tuple[str, int], ...], search_path: tuple[str, ...]) -> tuple[Link, ...]:
    """Returns the first link from a file to each other file, for each directory and package it is imported from."""
    found: dict[tuple[str, str, str | None], Link] = {}
    for link in _all_links(importer, imports, search_path):
        found.setdefault((link.target.path, link.target.root, link.target.package), link)
    return tuple(found.values())


def _all_links(importer: str, imports: tuple[tuple[str, int], ...], search_path: tuple[str, ...]) -> Iterator[Link]:
    for dotted, line in imports:
        found = resolve_from(os.path.dirname(importer), dotted, search_path)
        if found is None:
            continue
        yield Link(importer, found, line)
        # Importing a module runs the packages above it.
        directory = os.path.dirname(found.path)
        while len(directory) > len(found.root):
            package = nonempty_package(directory)
            if package is not None and package != found.path:
                yield Link(importer, found._replace(path=package, names=()), line)
            directory = os.path.dirname(directory)


@run_cache
def resolve_from(directory: str, dotted: str, search_path: tuple[str, ...]) -> Target | None:
    """Returns the file that an import loads, from Python's own directories or those added to ``sys.path``; or None."""
    found = target_from(directory, dotted)
    if found is not None or dotted.startswith("."):
        return found
    return next((one for path in search_path if (one := target_below(directory, path, dotted)) is not None), None)


def star_owner(tree: "Tree", module: Module, name: str, depth: int = 0) -> Module | None:
    """Returns the file that binds a name which a module has by ``from … import *``; None if no file does."""
    for star in reversed(module.names.stars) if depth < MAX_STEPS and os.path.exists(module.path) else ():
        found = tree.target(module, star)
        with suppress(Unreadable):
            owner = tree.module(found.path) if found is not None and not found.names else None
            if owner is not None and name not in owner.names.top.bindings:
                owner = star_owner(tree, owner, name, depth + 1)
            if owner is not None:
                return owner
    return None
