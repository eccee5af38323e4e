"""Which functions of a program's files the program may run, by the words that its code mentions."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import children, walk
from migrate.files.run_cache import tree_cache

_MODES = {"EVAL", "INFER", "ModeKeys", "PREDICT", "TRAIN", "__name__", "is_training", "mode", "training"}
"""A condition on one of these is met sooner or later."""

_CHOOSING = (ast.If, ast.IfExp, ast.While, ast.Dict, ast.ExceptHandler)
_Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
_UNITS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


class ReachedCode:
    """The code that a program may run.

    A function or class is taken for reached if reached code mentions its name in any way, as a string too, or if
    something decorates it. So is a method of a class without bases; a base may call any method of another class. What
    stands at the top of a file runs with its import, but for the part under ``if __name__ == "__main__"`` of a file
    that is imported.

    Args:
      known: places that it is known to reach, with their files.
      is_sure: whether what a condition decides is no part of it.
    """

    def __init__(
        self,
        started: Sequence[Module],
        modules: Sequence[Module],
        known: Iterable[tuple[Module, ast.AST]],
        is_sure: bool = False,
    ) -> None:
        self._is_sure = is_sure
        self._reached: set[ast.AST] = set()
        self._started = {module.tree for module in started}
        others = (module.tree for module in modules if module.tree not in self._started)
        self._skipped = {part for tree in others for part in main_part(tree)}
        named, decorated = _definitions(tuple(module.tree for module in modules))
        named = {**named}
        waiting: list[_Unit] = [*(module.tree for module in modules), *decorated]
        for module, node in known:
            waiting += [around for around in module.names.ancestors(node) if isinstance(around, _UNITS)]
        while waiting:
            unit = waiting.pop()
            if unit not in self._reached:
                self._reached.add(unit)
                for word in named.keys() & self._words(unit):
                    waiting += named.pop(word)

    def holds(self, module: Module, node: ast.AST) -> bool:
        """Whether a node stands in code that the program may run."""
        around = [one for one in module.names.ancestors(node) if isinstance(one, _UNITS)]
        if len(around) > 2 and around[-3] in _methods(around[-2]) and around[-3] not in self._reached:
            return False
        return node not in self._skipped and all(one in self._reached for one in around[-2:])  # a method with its class

    def covers(self, module: Module, node: ast.AST) -> bool:
        """Whether all that stands around a node is reached: to know it reached too would change nothing."""
        return all(one in self._reached for one in module.names.ancestors(node) if isinstance(one, _UNITS))

    def _words(self, unit: _Unit) -> frozenset[str]:
        """The words that a function or a file mentions, functions inside it included where they run with it."""
        if not isinstance(unit, ast.Module):
            return _words_of(unit, self._is_sure) if unit not in self._skipped else frozenset()
        return _words_at_top(unit, unit in self._started, self._is_sure)


def is_optional(node: ast.AST, around: ast.AST) -> bool:
    """Whether the code around a node may run without the node."""
    if isinstance(around, ast.If | ast.IfExp | ast.While) and node is not around.test:
        return not _is_of_mode(around.test)
    if isinstance(around, ast.Dict):
        return isinstance(node, ast.Name | ast.Attribute)  # one of the functions that a key chooses from
    return isinstance(around, ast.ExceptHandler)


def follows_a_return(block: Sequence[ast.AST], node: ast.AST) -> bool:
    """Whether a block may return a value before it comes to a statement."""
    before = takewhile(lambda one: one is not node, block)
    ifs = (one for one in before if isinstance(one, ast.If) and not _is_of_mode(one.test))
    return any(isinstance(one.body[-1], ast.Return) and one.body[-1].value is not None for one in ifs)


@tree_cache
def _is_of_mode(test: ast.expr) -> bool:
    return bool(_MODES & {getattr(part, "id", "") or getattr(part, "attr", "") for part in walk(test)})


@tree_cache
def _words_of(unit: ast.AST, is_sure: bool) -> frozenset[str]:
    """The words of a function, or of a class without the methods that are called by their names."""
    return _words_in(unit, is_sure, frozenset(_methods(unit)))


@tree_cache
def _methods(unit: ast.AST) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
    """The methods that nothing calls but by their names: of a class without bases, those with a name of their own."""
    if not isinstance(unit, ast.ClassDef) or unit.keywords:
        return ()
    if any(not isinstance(base, ast.Name) or base.id != "object" for base in unit.bases):
        return ()
    functions = (one for one in unit.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return tuple(one for one in functions if not one.name.startswith("__"))


@tree_cache
def _words_at_top(tree: ast.Module, is_started: bool, is_sure: bool) -> frozenset[str]:
    """Returns the words at the top of a file that run with its import; of a definition only what surrounds its body."""
    parts = (part for part in tree.body if is_started or not _is_main(part))
    return frozenset().union(*(_words_in(part, is_sure, None) for part in parts))


@tree_cache
def _called_by_name(tree: ast.Module) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, ...]:
    """The functions and classes at the top of a file, each with its methods: a file is part of many programs."""
    return tuple(each for unit in _units(tree) for each in (unit, *_methods(unit)))


@tree_cache
def _definitions(trees: tuple[ast.Module, ...]) -> tuple[dict[str, list[_Unit]], list[_Unit]]:
    """What ``_called_by_name`` gives for some files, by name, and what something decorates among it."""
    units = [one for tree in trees for one in _called_by_name(tree)]
    named: dict[str, list[_Unit]] = {}
    for one in units:
        named.setdefault(one.name, []).append(one)
    return named, [one for one in units if one.decorator_list]


@tree_cache
def main_part(tree: ast.Module) -> frozenset[ast.AST]:
    """The nodes of a file that do not run with its import."""
    return frozenset(part for statement in tree.body if _is_main(statement) for part in walk(statement))


def _units(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The functions and classes at the top of a file, those under a condition included."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
        else:
            waiting += children(node)


def _words_in(node: Any, is_sure: bool, apart: frozenset[ast.AST] | None) -> frozenset[str]:
    """The words in a node, without the functions that stand apart; where that is None, without all bodies of any."""
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
        elif kind is ast.alias:  # an import or a text calls nothing by itself
            words.update(node.name.split(".") if node.asname or not is_sure else ())
        elif apart is None and kind in _UNITS:
            waiting += [*node.decorator_list, *getattr(node, "bases", ())]
        elif is_sure and kind in _CHOOSING:
            waiting += [one for one in children(node) if not is_optional(one, node)]
        elif not apart or node not in apart:
            waiting += children(node)
    return frozenset(words)


def _is_main(statement: ast.stmt) -> bool:
    test = statement.test if isinstance(statement, ast.If) else None
    parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in parts)
