"""Finds the files that a program is started by."""

import ast
import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.files.read import read
from migrate.files.sources import NOTEBOOK, is_test
from migrate.files.trouble import Unreadable

_START = re.compile(rb"^if\s+__name__\s*==\s*[\"']__main__[\"']|^(?:tf\.|absl\.)?app\.run\(", re.MULTILINE)
_TRAINING_CALL = re.compile(rb"\.train\(|train_and_evaluate\(|\.fit\(")
_TRAINING = ("train", "train_and_evaluate", "fit", "fit_generator", "train_on_batch")
_LONGEST_CHAIN = 3
"""The longest chain of imports from a script to a file of the program."""


def entry_points(files: Sequence[str], tree: Tree) -> tuple[str, ...]:
    """Returns the scripts among a program's files, or that import them: those that train first, tests last."""
    starting = [path for path in files if _is_started(path)]
    if not starting:
        starting = _importing_scripts(files, tree)
    if len(starting) > 1:  # a library may run its own checks; a script that trains may be imported for its model_fn
        libraries = {path for one in starting for path in files_run_by_import(one, tree)} & {
            *map(os.path.abspath, starting)
        }
        starting = [path for path in starting if os.path.abspath(path) not in libraries or _trains(path)] or starting
    scripts = [path for path in starting if not path.endswith(NOTEBOOK)]
    if not starting:  # a script may train at its top level, without a test of __name__
        is_script = any(_calls_at_top_level(path, tree, _TRAINING) for path in files)
        above = [] if is_script else _unimported_scripts(files, tree)
        return tuple(sorted(above or files, key=_order)[:1])
    return tuple(sorted(scripts or starting, key=_order))


def files_run_by_import(path: str, tree: Tree) -> list[str]:
    """Returns the absolute paths of the other files that run when a file is imported."""
    if path.endswith(NOTEBOOK):
        return []
    own = os.path.abspath(path)
    return [link.target.path for link in tree.closure(*tree.readable([own])) if link.target.path != own]


def modules_of_program(start: str, tree: Tree) -> list[Module]:
    """Returns the files that run when a program starts, without those that cannot be read."""
    return list(tree.readable([start, *files_run_by_import(start, tree)]))


def _order(path: str) -> tuple[bool, bool]:
    return is_test(path), not _trains(path)


def _trains(path: str) -> bool:
    return _matches(path, _TRAINING_CALL)


def _is_started(path: str) -> bool:
    return path.endswith(NOTEBOOK) or _matches(path, _START)


def _matches(path: str, pattern: re.Pattern[bytes]) -> bool:
    with suppress(Unreadable):
        return pattern.search(read(path)) is not None
    return False


def _calls_at_top_level(path: str, tree: Tree, names: Collection[str] = ()) -> bool:
    """Whether code outside the functions of a file calls a method; with ``names``, a function of these names."""
    modules = tree.readable([path])
    calls = (node for m in modules for node in m.names.nodes(ast.Call) if m.names.scope_of(node) is m.names.top)
    return any(name_of(call.func) in names if names else isinstance(call.func, ast.Attribute) for call in calls)


def _unimported_scripts(files: Sequence[str], tree: Tree) -> list[str]:
    """Returns the files that no file imports, that import one of ``files`` indirectly too, and that call a method."""
    near, found, seen = (
        [os.path.abspath(path) for path in files if not path.endswith(NOTEBOOK)],
        list[str](),
        set[str](),
    )
    for _ in range(_LONGEST_CHAIN):
        seen |= {*near}
        above = {path: tree.importers_of(path) for path in near}
        found += [tree.name(path) for path, users in above.items() if not users and _calls_at_top_level(path, tree)]
        near = [user for user in dict.fromkeys(one for users in above.values() for one in users) if user not in seen]
    return [path for path in found if path not in files and not path.endswith(NOTEBOOK)]


def _importing_scripts(files: Sequence[str], tree: Tree) -> list[str]:
    """Returns the nearest scripts that import one of ``files``."""
    near, seen = [os.path.abspath(path) for path in files if not path.endswith(NOTEBOOK)], set[str]()
    for _ in range(_LONGEST_CHAIN):
        seen |= {*near}
        around = dict.fromkeys(path for module in tree.readable(near) for path in tree.importers(module))
        near = [path for path in around if path not in seen]
        starting = [tree.name(path) for path in near if _is_started(path)]
        if starting:
            return starting
    return []
