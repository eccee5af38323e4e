"""Where the emitted pieces of a program with several files stand: where all of its files can import them from."""

import os
from collections.abc import Mapping, Sequence

from migrate.analysis.tree import Tree
from migrate.edits.plan import Plan, Shared


def share(tree: Tree, programs: Sequence[set[str]], plans: Mapping[str, Plan]) -> None:
    """Sets the place in the plans of all files of these programs; programs with a file in common have one place.

    Where one of the files is imported from two directories, no place can be imported from both: then those that are
    imported hold their pieces themselves.

    Args:
      tree: the files around them.
      programs: the files of each program of several files that is rewritten.
      plans: the plan of each file, by its path.
    """
    together: list[tuple[set[str], set[str], set[str]]] = []  # the files, those of them that are imported, the roots
    for files in programs:
        known_roots = {path: tree.roots.get(os.path.abspath(path), set()) for path in files}
        imported = {path for path in files if known_roots[path]}
        roots = {root for path in imported for root in known_roots[path]}
        for known in [known for known in together if known[0] & files]:
            together.remove(known)
            files, imported, roots = files | known[0], imported | known[1], roots | known[2]
        together.append((files, imported, roots))
    for files, imported, roots in together:
        shared = Shared(_directory(files, imported), min(roots)) if len(roots) == 1 else Shared(None, "")
        for path in files:
            plans[path].shared, plans[path].is_imported = shared, path in imported


def _directory(files: set[str], imported: set[str]) -> str:
    """The directory above all files if it holds one of them, so that it was named; else that of an imported file."""
    directories = {os.path.abspath(os.path.dirname(path)): os.path.dirname(path) for path in sorted(files)}
    above = directories.get(os.path.commonpath(directories))
    return os.path.dirname(min(imported)) if above is None else above
