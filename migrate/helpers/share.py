"""Where the helpers of a program with several files stand: where all of its files can import them from."""

import os
from collections.abc import Mapping, Sequence

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.imports import Target, above_package
from migrate.edits.plan import HelpersPlace, Plan
from migrate.files.sources import is_below
from migrate.helpers.placement import distribution_package


def share(tree: Tree, programs: Sequence[set[str]], plans: Mapping[str, Plan]) -> None:
    """Sets the place in the plans of all files of these programs; programs with a file in common have one place.

    A file that is imported from two directories can import no place from both: it imports from the folder beside it, in
    either way, and so do all that are imported where no one directory finds the others. A relative import tells of no
    directory: what is above the package may be a package too, and the program may be started in it all the same.
    """
    together: list[set[str]] = []
    for files in programs:
        for known in [known for known in together if known & files]:
            together.remove(known)
            files = files | known
        together.append(files)
    for files in together:
        named = {os.path.abspath(path): path for path in files}
        targets: dict[str, list[Target]] = {}
        for link in tree.links_into(named):
            targets.setdefault(named[link.target.path], []).append(link.target)
        torn = {path for path, ways in targets.items() if any(map(_is_linked, ways)) or not _agree(*_places_of(ways))}
        shared = _shared_place(files - torn, [target for path in targets.keys() - torn for target in targets[path]])
        for path in files:
            plans[path].shared = HelpersPlace(None, None) if path in torn else shared
            plans[path].is_imported = path in targets


def is_unsure(path: str, plan: Plan) -> bool:
    """Whether a file that is rewritten alone may be imported by another name than its directory tells.

    In a directory without an ``__init__.py`` it may be a script, or imported from a directory above.
    """
    is_package = os.path.exists(os.path.join(os.path.dirname(path), "__init__.py"))
    return bool(plan.pieces) and plan.shared is None and path.endswith(".py") and not is_package


def _places_of(ways: Sequence[Target]) -> tuple[set[str], set[str]]:
    """The directories that find what is imported in these ways, and the packages in which the rest is."""
    packages = {way.package for way in ways if way.package is not None}
    return {way.root for way in ways if way.package is None}, packages


def _is_linked(way: Target) -> bool:
    """Whether an import leads into a file by a symbolic link, so that its directory is no part of the import's name."""
    return not is_below(way.path, way.root)


def _agree(roots: set[str], packages: set[str]) -> bool:
    """Whether one directory finds all."""
    return len(roots) < 2 and not any(is_below(root, package) for root in roots for package in packages)


def _shared_place(files: set[str], ways: Sequence[Target]) -> HelpersPlace:
    roots, packages = _places_of(ways)
    if not ways or not _agree(roots, packages):
        return HelpersPlace(None, None)
    named = {os.path.abspath(path): path for path in files}
    directory = _directory(files, {named[way.path] for way in ways}, roots)
    if roots:
        return HelpersPlace(directory, *roots)
    there = os.path.abspath(directory)
    around = [package for package in packages if is_below(there, package)]
    is_within = all(any(is_below(path, package) for package in around) for path in named)
    return HelpersPlace(directory, None if is_within else above_package(there))


def _directory(files: set[str], imported: set[str], roots: set[str]) -> str:
    """The directory above all files if it holds one of them, so that it was named; else that of an imported file.

    Of files in a distribution's package it is that package: a folder beside it would be installed by its own name, as
    other distributions' folders are.
    """
    directories = {os.path.abspath(os.path.dirname(path)): os.path.dirname(path) for path in sorted(files)}
    above = directories.get(os.path.commonpath(directories))
    tops = {distribution_package(path) for path in imported}
    top = tops.pop() if len(tops) == 1 else None
    if top is not None and all(is_below(os.path.abspath(top), root) for root in roots):
        return top
    return os.path.dirname(min(imported)) if above is None else above
