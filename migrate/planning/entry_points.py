"""The files that a program is started by."""

import ast
import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.files.read import read
from migrate.files.sources import NOTEBOOK
from migrate.files.trouble import Unreadable

_STARTS = re.compile(rb"^if\s+__name__\s*==\s*[\"']__main__[\"']|^(?:tf\.|absl\.)?app\.run\(", re.MULTILINE)
_TRAINS = re.compile(rb"\.train\(|train_and_evaluate\(|\.fit\(")
_TRAINING = ("train", "train_and_evaluate", "fit", "fit_generator", "train_on_batch")
_FARTHEST = 3
"""A program may be started by a file that imports one that imports one of its own."""


def entry_points(files: Sequence[str], tree: Tree) -> tuple[str, ...]:
    """The files among those of a program, or among those that import them, that are started by themselves.

    One that trains comes before one that does not.
    """
    starting = [path for path in files if _starts(path)]
    if not starting:
        starting = _importing_scripts(files, tree)
    if len(starting) > 1:  # a library may start its own checks; a script that trains may lend its model_fn to others
        libraries = {path for one in starting for path in files_run_by_import(one, tree)} & {
            *map(os.path.abspath, starting)
        }
        starting = [path for path in starting if os.path.abspath(path) not in libraries or _trains(path)] or starting
    scripts = [path for path in starting if not path.endswith(NOTEBOOK)]
    if not starting:  # a script may train where it stands, without asking for its own name
        is_script = any(_calls_at_top(path, tree, _TRAINING) for path in files)
        above = [] if is_script else _scripts_above(files, tree)
        return tuple(sorted(above or files, key=lambda path: not _trains(path))[:1])
    return tuple(sorted(scripts or starting, key=lambda path: not _trains(path)))


def files_run_by_import(path: str, tree: Tree) -> list[str]:
    """The other files, absolute, that run when a file is imported."""
    if path.endswith(NOTEBOOK):
        return []
    own = os.path.abspath(path)
    return [link.target.path for link in tree.closure(*tree.readable([own])) if link.target.path != own]


def modules_of_program(start: str, tree: Tree) -> list[Module]:
    """The files that run when a program starts, but for those that cannot be read."""
    return list(tree.readable([start, *files_run_by_import(start, tree)]))


def _trains(path: str) -> bool:
    return _holds(path, _TRAINS)


def _starts(path: str) -> bool:
    return path.endswith(NOTEBOOK) or _holds(path, _STARTS)


def _holds(path: str, pattern: re.Pattern[bytes]) -> bool:
    with suppress(Unreadable):
        return pattern.search(read(path)) is not None
    return False


def _calls_at_top(path: str, tree: Tree, names: Collection[str] = ()) -> bool:
    """Whether a file itself calls something as it runs, and no function of it; with names, one of these."""
    modules = tree.readable([path])
    calls = (node for m in modules for node in m.names.nodes(ast.Call) if m.names.scope_of(node) is m.names.top)
    return any(name_of(call.func) in names if names else isinstance(call.func, ast.Attribute) for call in calls)


def _scripts_above(files: Sequence[str], tree: Tree) -> list[str]:
    """The files that nothing imports, that import one of some files by any way, and that call something themselves."""
    near, found, seen = (
        [os.path.abspath(path) for path in files if not path.endswith(NOTEBOOK)],
        list[str](),
        set[str](),
    )
    for _ in range(_FARTHEST):
        seen |= {*near}
        above = {path: tree.importers_of(path) for path in near}
        found += [tree.name(path) for path, users in above.items() if not users and _calls_at_top(path, tree)]
        near = [user for user in dict.fromkeys(one for users in above.values() for one in users) if user not in seen]
    return [path for path in found if path not in files and not path.endswith(NOTEBOOK)]


def _importing_scripts(files: Sequence[str], tree: Tree) -> list[str]:
    """The nearest files that start by themselves and import one of some files."""
    near, seen = [os.path.abspath(path) for path in files if not path.endswith(NOTEBOOK)], set[str]()
    for _ in range(_FARTHEST):
        seen |= {*near}
        around = dict.fromkeys(path for module in tree.readable(near) for path in tree.importers(module))
        near = [path for path in around if path not in seen]
        starting = [tree.name(path) for path in near if _starts(path)]
        if starting:
            return starting
    return []
