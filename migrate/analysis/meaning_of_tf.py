"""Which TensorFlow ``tf`` is in the files of a program, by the names in the code that it runs."""

import ast
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from functools import cached_property

from migrate.analysis.guards import is_guarded
from migrate.analysis.links import Link
from migrate.analysis.module import Module
from migrate.analysis.reached_code import ReachedCode, main_part
from migrate.analysis.symbols import Symbol, estimator_kind
from migrate.analysis.tree import Tree
from migrate.files.generated import is_generated
from migrate.files.trouble import Unreadable

_MODES = {"EVAL", "INFER", "ModeKeys", "PREDICT", "TRAIN", "__name__", "is_training", "mode", "training"}
"""A condition on one of these is met sooner or later."""

_PREMADE = "premade"
"""The kinds of estimators of which TensorFlow 1's sum the losses of a batch, and TensorFlow 2's take their mean."""


class Meaning(Enum):
    """The TensorFlow that a program is written for; ``BOTH`` where it holds code for each of them."""

    ONE = 1
    TWO = 2
    BOTH = 3


def settle(tree: Tree, units: Iterable[tuple[Sequence[Module], Sequence[Module]]]) -> None:
    """Takes the names of each file for those of the TensorFlow that the programs around it are written for.

    Args:
      tree: the files around them.
      units: the files that programs are started by, or that make their estimators; and all that change with them.
    """
    modules: dict[str, Module] = {}
    programs: dict[str, list[_Program]] = {}
    placed, alike = set[_Program](), dict[Hashable, _Program]()
    for roots, together in units:
        if not any(module.of_1 or module.iterators for module in together):
            continue
        modules |= {module.path: module for module in together}
        imported = {root.path: _imported(tree, root) for root in roots}
        seen = {os.path.abspath(root.path) for root in roots}
        seen |= {link.target.path for root in roots for link in tree.closure(root)}
        handed_in = [module for module in together if os.path.abspath(module.path) not in seen]
        for root in roots:
            program = _program(tree, root, [*imported[root.path], *handed_in], alike)
            for module in program.files if program not in placed else ():
                programs.setdefault(module.path, []).append(program)
            placed.add(program)
    for path, module in modules.items():
        around = programs.get(path, [])
        running = [one for one in around if one.runs(module)] or around
        meanings = _meanings(running)
        if len(meanings) != 1 or meanings == {Meaning.BOTH}:
            own = {one.meaning_of([module]) for one in running}
            meanings = {one for one in own if one} or meanings
        if meanings == {Meaning.ONE}:
            tree.take_for_tf1(module)
        elif meanings == {Meaning.TWO}:
            module.take_for_tf2()
        elif meanings or module.of_1:
            unclear = (one for one in _unclear(module) if any(each.reach.holds(module, one[0]) for each in around))
            module.take_for_tf2([*unclear])


def _meanings(programs: Sequence["_Program"]) -> set[Meaning]:
    """What ``tf`` is in some programs that share a file; one that TensorFlow 1 runs too says nothing against others."""
    files = {module for one in programs if one.meaning for module in one.files}
    return {one.meaning or Meaning.TWO for one in programs if one.meaning or one.speakers - files}


def _unclear(module: Module) -> Iterator[tuple[ast.expr, Symbol]]:
    """The names with two meanings, premade estimators too; but those of datasets, whose elements are the same."""
    yield from (one for one in module.of_two if not one[1].tail.startswith("data."))
    yield from (one for one in module.estimator if one[1].api == "tf" and estimator_kind(one[1]) == _PREMADE)


def _imported(tree: Tree, root: Module) -> list[Module]:
    """A file and those that its imports lead to, but for imports that TensorFlow 2 does without."""
    return [root, *_read(tree, (link.target.path for link in tree.closure(root) if not _is_guarded(tree, link)))]


def _is_guarded(tree: Tree, link: Link) -> bool:
    asked = ("guarded import", link.importer, link.line)
    if asked not in tree.answers:
        tree.answers[asked] = _stands_guarded(tree, link)
    return bool(tree.answers[asked])


def _stands_guarded(tree: Tree, link: Link) -> bool:
    for module in _read(tree, [link.importer]):
        imports = [*module.names.nodes(ast.Import), *module.names.nodes(ast.ImportFrom)]
        return any(one.lineno == link.line and is_guarded(module.names, one) for one in imports)
    return False


def _read(tree: Tree, paths: Iterable[str]) -> Iterator[Module]:
    for path in paths:
        with suppress(Unreadable):
            yield tree.module(path)


def _program(tree: Tree, root: Module, below: Sequence[Module], alike: dict[Hashable, "_Program"]) -> "_Program":
    """What one file starts, or makes an estimator for; one for all files that lead to the same code.

    Args:
      tree: the files around it.
      root: the file.
      below: those that it is made of, the root among them, but for those that import it.
      alike: those programs that are known, by their files.
    """
    own = set(below)
    above = [module for module in _read(tree, _above(tree, root)) if module not in own]
    files = [module for module in [*below, *above] if not is_generated(module.text)]
    started = [root, *above]
    key = frozenset(files), frozenset(module for module in started if main_part(module.tree))
    known = [(root, node) for node, _ in root.estimator]
    if key not in alike:
        alike[key] = _Program(files, started, ())
    is_like = all(alike[key].reach.covers(*place) for place in known)
    return alike[key] if is_like else _Program(files, started, known)


class _Program:
    """Files that run together.

    Args:
      files: those that it is made of.
      started: those of them that run as the program starts.
      known: places that it is known to reach, with their files.
    """

    def __init__(
        self, files: Sequence[Module], started: Sequence[Module], known: Sequence[tuple[Module, ast.AST]]
    ) -> None:
        self.files = files
        self.reach = ReachedCode(started, files, known)

    @cached_property
    def meaning(self) -> Meaning | None:
        """What its ``tf`` is; None where nothing tells."""
        return self.meaning_of(self.files)

    @cached_property
    def speakers(self) -> set[Module]:
        """The files that name something for TensorFlow 2, which TensorFlow 1 may have too."""
        return {module for module in self.files if module.tf2_only or module.v1 or module.asked}

    def meaning_of(self, files: Sequence[Module]) -> Meaning | None:
        """What ``tf`` is in some of its files by their own names; None where nothing tells."""
        of_1 = [(module, node) for module in files for node in _of_1(module)]
        of_2 = [(module, node) for module in files for node, _ in module.tf2_only]
        runs_1, runs_2 = ([one for one in found if self.reach.holds(*one)] for found in (of_1, of_2))
        is_on_1, is_on_2 = (not all(_is_in_branch(*one) for one in runs) for runs in (runs_1, runs_2))
        if is_on_1 or is_on_2:
            return Meaning.BOTH if is_on_1 and is_on_2 else Meaning.ONE if is_on_1 else Meaning.TWO
        if runs_1:
            return Meaning.BOTH if self.speakers.intersection(files) else Meaning.ONE
        return None

    def runs(self, module: Module) -> bool:
        """Whether it comes to a name of a file that tells, or that has two meanings."""
        return any(self.reach.holds(module, node) for node, _ in [*module.of_1, *module.of_two])


def _of_1(module: Module) -> Iterator[ast.expr]:
    """What TensorFlow 2 fails on as soon as it runs."""
    yield from (node for node, found in module.of_1 if found.api == "tf" and not found.is_private)
    yield from module.iterators


def _above(tree: Tree, root: Module) -> list[str]:
    """The files, absolute, that import a file, and those that import these."""
    own = os.path.abspath(root.path)
    found, waiting = dict[str, None](), [own]
    while waiting:
        for path in tree.importers_of(waiting.pop()):
            if path not in found and path != own:
                found[path] = None
                waiting.append(path)
    return [*found]


def _is_in_branch(module: Module, node: ast.AST) -> bool:
    """Whether a function, or a file, may run without coming to a node."""
    below = node
    for around in module.names.ancestors(node):
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return False
        if isinstance(around, ast.If | ast.IfExp | ast.While) and below is not around.test:
            words = {getattr(part, "id", "") or getattr(part, "attr", "") for part in ast.walk(around.test)}
            if not words & _MODES:
                return True
        if isinstance(around, ast.ExceptHandler):
            return True
        below = around
    return False
