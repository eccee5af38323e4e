"""Finds the functions that a program may run, by the names that its code mentions."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import takewhile
from typing import Any

from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import children, walk
from migrate.files.run_cache import tree_cache

_MODES = {"EVAL", "INFER", "ModeKeys", "PREDICT", "TRAIN", "__name__", "is_training", "mode", "training"}
"""Conditions on these names hold at some time in every program."""

_CONDITIONALS = (ast.If, ast.IfExp, ast.While, ast.Dict, ast.ExceptHandler)
_Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
_UNITS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


class ReachedCode:
    """The code that a program may run.

    A function or class is reached if reached code mentions its name, even in a string, or if it is decorated. The same
    holds for a method of a class without bases; other methods are reached with their class, since a base may call them.
    The top level of a file runs when it is imported, except ``if __name__ == "__main__"`` of an imported file.

    Args:
      started: the files that run when the program starts.
      modules: all files of the program.
      is_sure: whether to leave out code that a condition may skip.
    """

    def __init__(self, started: Sequence[Module], modules: Sequence[Module], is_sure: bool = False) -> None:
        self._is_sure = is_sure
        self._reached: set[ast.AST] = set()
        self._started = {module.tree for module in started}
        others = (module.tree for module in modules if module.tree not in self._started)
        self._skipped = {part for tree in others for part in main_nodes(tree)}
        named, decorated = _definitions(tuple(module.tree for module in modules))
        self._unreached = {**named}
        self._reach_from([*(module.tree for module in modules), *decorated], self._unreached)

    def with_reached(self, known: Iterable[tuple[Module, ast.AST]]) -> "ReachedCode":
        """Returns what is reached if the program is known to reach some nodes, each with its file."""
        found = copy(self)
        found._reached, unreached = {*self._reached}, {**self._unreached}
        for module, node in known:
            found._reach_from([one for one in module.names.ancestors(node) if isinstance(one, _UNITS)], unreached)
        return found

    def _reach_from(self, waiting: list[_Unit], unreached: dict[str, list[_Unit]]) -> None:
        while waiting:
            unit = waiting.pop()
            if unit not in self._reached:
                self._reached.add(unit)
                for word in unreached.keys() & self._words(unit):
                    waiting += unreached.pop(word)

    def contains(self, module: Module, node: ast.AST) -> bool:
        """Whether the program may run a node."""
        around = [one for one in module.names.ancestors(node) if isinstance(one, _UNITS)]
        if len(around) > 2 and around[-3] in _methods(around[-2]) and around[-3] not in self._reached:
            return False
        return node not in self._skipped and all(one in self._reached for one in around[-2:])  # a method with its class

    def covers(self, module: Module, node: ast.AST) -> bool:
        """Whether every function and class around a node is reached, so that ``known`` need not name the node."""
        return all(one in self._reached for one in module.names.ancestors(node) if isinstance(one, _UNITS))

    def _words(self, unit: _Unit) -> frozenset[str]:
        """Returns the names and strings in a function, class or file, and in inner functions that run with it."""
        if not isinstance(unit, ast.Module):
            return _words_of(unit, self._is_sure) if unit not in self._skipped else frozenset()
        return _words_at_top(unit, unit in self._started, self._is_sure)


def is_optional(node: ast.AST, around: ast.AST) -> bool:
    """Whether ``around``, the parent of a node, may run without the node."""
    if isinstance(around, ast.If | ast.IfExp | ast.While) and node is not around.test:
        return not _tests_mode(around.test)
    if isinstance(around, ast.Dict):
        return isinstance(node, ast.Name | ast.Attribute)  # a function that a key selects
    return isinstance(around, ast.ExceptHandler)


def follows_a_return(block: Sequence[ast.AST], node: ast.AST) -> bool:
    """Whether a block may return a value before it reaches a statement."""
    before = takewhile(lambda one: one is not node, block)
    ifs = (one for one in before if isinstance(one, ast.If) and not _tests_mode(one.test))
    return any(isinstance(one.body[-1], ast.Return) and one.body[-1].value is not None for one in ifs)


@tree_cache
def _tests_mode(test: ast.expr) -> bool:
    return bool(_MODES & {getattr(part, "id", "") or getattr(part, "attr", "") for part in walk(test)})


@tree_cache
def _words_of(unit: ast.AST, is_sure: bool) -> frozenset[str]:
    """Returns the names and strings in a function, or in a class without ``_methods``."""
    return _words_in(unit, is_sure, frozenset(_methods(unit)))


@tree_cache
def _methods(unit: ast.AST) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
    """Returns the methods that run only if code mentions their names: of a class without bases, without dunders."""
    if not isinstance(unit, ast.ClassDef) or unit.keywords:
        return ()
    if any(not isinstance(base, ast.Name) or base.id != "object" for base in unit.bases):
        return ()
    functions = (one for one in unit.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return tuple(one for one in functions if not one.name.startswith("__"))


@tree_cache
def _words_at_top(tree: ast.Module, is_started: bool, is_sure: bool) -> frozenset[str]:
    """Returns the names and strings in the top-level code of a file, without the bodies of functions and classes."""
    parts = (part for part in tree.body if is_started or not _is_main(part))
    return frozenset().union(*(_words_in(part, is_sure, None) for part in parts))


@tree_cache
def _top_level_definitions(tree: ast.Module) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, ...]:
    """Returns the top-level functions and classes of a file, each with its ``_methods``."""
    return tuple(each for unit in _units(tree) for each in (unit, *_methods(unit)))


@tree_cache
def _definitions(trees: tuple[ast.Module, ...]) -> tuple[dict[str, list[_Unit]], list[_Unit]]:
    """Returns the functions and classes of some files by name, and the decorated ones."""
    units = [one for tree in trees for one in _top_level_definitions(tree)]
    named: dict[str, list[_Unit]] = {}
    for one in units:
        named.setdefault(one.name, []).append(one)
    return named, [one for one in units if one.decorator_list]


@tree_cache
def main_nodes(tree: ast.Module) -> frozenset[ast.AST]:
    """Returns the nodes of a file under ``if __name__ == "__main__"``, which do not run when it is imported."""
    return frozenset(part for statement in tree.body if _is_main(statement) for part in walk(statement))


def _units(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yields the top-level functions and classes of a file, also those under a condition."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
        else:
            waiting += children(node)


def _words_in(node: Any, is_sure: bool, apart: frozenset[ast.AST] | None) -> frozenset[str]:
    """Returns the names and strings in a node, without the functions ``apart``; if it is None, without any bodies."""
    words, waiting = set[str](), [node]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is ast.Name:
            words.add(node.id)
        elif kind is ast.Attribute:
            words.add(node.attr)
            waiting.append(node.value)
        elif kind is ast.Constant:
            if isinstance(node.value, str) and not is_sure:
                words.add(node.value)
        elif kind is ast.alias:  # an import or a string calls nothing by itself
            words.update(node.name.split(".") if node.asname or not is_sure else ())
        elif apart is None and kind in _UNITS:
            waiting += [*node.decorator_list, *getattr(node, "bases", ())]
        elif is_sure and kind in _CONDITIONALS:
            waiting += [one for one in children(node) if not is_optional(one, node)]
        elif not apart or node not in apart:
            waiting += children(node)
    return frozenset(words)


def _is_main(statement: ast.stmt) -> bool:
    test = statement.test if isinstance(statement, ast.If) else None
    parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in parts)
