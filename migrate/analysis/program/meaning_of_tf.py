"""Decides which TensorFlow ``tf`` means in the files of a program, by the names in the code that it runs."""

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache, cached_property, partial, reduce
from operator import or_

from migrate.analysis.program.closures import Closures, FileFilter
from migrate.analysis.program.links import Link
from migrate.analysis.program.reached_code import ReachedCode, follows_a_return, is_optional, main_nodes
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import blocks
from migrate.analysis.source.symbols import Symbol, estimator_kind
from migrate.files.run_cache import tree_cache
from migrate.files.sources import is_generated

_PREMADE = "premade"
"""Estimators that sum the losses of a batch in TensorFlow 1, and take their mean in TensorFlow 2."""


class Meaning(Enum):
    """The TensorFlow that a program is written for; ``BOTH`` for a program with code for each."""

    ONE = 1
    TWO = 2
    BOTH = 3


def settle_meanings(tree: Tree, units: Sequence[tuple[Sequence[Module], int]]) -> None:
    """Settles the meaning of ambiguous names in each file, by the programs that run it.

    Args:
      units: the root files of programs, which start them or create their estimators, each with the set of all files
        that change with them.
    """
    graph, known = tree.graph, _Programs(tree, [root for roots, _ in units for root in roots])
    programs: dict[str, list[_Program]] = {}
    placed, changing = set[_Program](), 0
    for roots, together in units:
        if not known.tf1_files.select(together):
            continue
        changing |= together
        seen = reduce(or_, (graph.bits([os.path.abspath(root.path)]) | tree.imported_files(root) for root in roots))
        for root in roots:
            program = known.program_of(root, together & ~seen)
            for module in program.files if program not in placed else ():
                programs.setdefault(module.path, []).append(program)
            placed.add(program)
    meanings_of = cache(lambda programs: _meanings(programs))
    for module in known.modules(changing):
        around = programs.get(module.path, [])
        running = [one for one in around if one.runs(module)] or around
        meanings = meanings_of(tuple(running))
        if len(meanings) != 1 or meanings == {Meaning.BOTH}:
            own = {one.meaning_of([module]) for one in running}
            meanings = {one for one in own if one} or meanings
        if meanings == {Meaning.ONE}:
            tree.mark_as_tf1(module)
        elif meanings == {Meaning.TWO}:
            module.mark_as_tf2()
        elif meanings or module.tf1_uses:
            unclear = (one for one in _unclear(module) if any(each.reach.contains(module, one[0]) for each in around))
            module.mark_as_tf2([*unclear])


def _meanings(programs: Sequence["_Program"]) -> set[Meaning]:
    """Returns the meanings of ``tf`` in programs that share a file, without programs that fit both."""
    files = set[Module]().union(*(one.files for one in programs if one.meaning))
    return {one.meaning or Meaning.TWO for one in programs if one.meaning or one.files_for_tf2 - files}


def _unclear(module: Module) -> Iterator[tuple[ast.expr, Symbol]]:
    """Yields the ambiguous names and premade estimators, without datasets, whose elements are the same in both."""
    yield from (one for one in module.ambiguous_uses if not one[1].tail.startswith("data."))
    yield from (one for one in module.estimator_uses if one[1].api == "tf" and estimator_kind(one[1]) == _PREMADE)


def _is_guarded(tree: Tree, link: Link) -> bool:
    """Whether an import is in a ``try`` or under a condition on TensorFlow."""
    question = ("guarded import", link.importer, link.line)
    if question not in tree.answers:
        found = (module.names for module in tree.readable([link.importer]))
        there = ((names, one) for names in found for one in names.imports if one.lineno == link.line)
        tree.answers[question] = any(is_guarded(*one) for one in there)
    return bool(tree.answers[question])


def _unguarded_targets(tree: Tree, links: Iterable[Link]) -> int:
    return tree.graph.bits(link.target.path for link in links if not _is_guarded(tree, link))


class _Programs:
    """The programs of some root files."""

    def __init__(self, tree: Tree, roots: Iterable[Module]) -> None:
        # No function refers to this object: a cycle would keep its trees.
        graph, self._tree = tree.graph, tree
        own = {os.path.abspath(root.path): root for root in roots}

        def modules_at(path: str) -> Sequence[Module]:
            return [own[path]] if path in own else [*tree.readable([path])]

        self._graph, self._modules_at = graph, modules_at
        self._imported = Closures(tree.targets_of, lambda path: _unguarded_targets(tree, tree.links_from(path)))
        self._importers = Closures(tree.importers_of, lambda path: graph.bits(tree.importers_of(path)))
        self._parts = FileFilter(graph, lambda path: not all(is_generated(one.text) for one in modules_at(path)))
        self._mains = FileFilter(graph, lambda path: any(main_nodes(one.tree) for one in modules_at(path)))
        self._alike: dict[tuple[int, int], _Program] = {}
        self.tf1_files = FileFilter(graph, lambda path: any(one.tf1_uses or one.iterators for one in modules_at(path)))

    def program_of(self, root: Module, others: int) -> "_Program":
        """Returns the program of a root file; the same one for all roots that lead to the same code.

        It consists of the root, the files that its imports lead to, except optional imports, and the files that import
        it, directly or not.

        Args:
          others: the set of further files of the program, which no import leads to.
        """
        path, links = os.path.abspath(root.path), self._tree.own_links(root)
        own, imported = self._graph.bits([path]), self._imported.union(link.target.path for link in links)
        below = own | imported | _unguarded_targets(self._tree, links) | others
        above = self._importers.union([path]) & ~below
        files, started = self._parts.select(below | above), own | above
        key = files, self._mains.select(started)
        if key not in self._alike:
            places = self.modules(started), self.modules(files)
            self._alike[key] = _Program(places[1], ReachedCode(*places), partial(ReachedCode, *places, is_sure=True))
        known = [(root, node) for node, _ in root.estimator_uses]
        if all(self._alike[key].reach.covers(*place) for place in known):
            return self._alike[key]
        return self._alike[key].with_reached(known)

    def modules(self, files: int) -> list[Module]:
        """Returns the readable modules of a set of files."""
        return [module for path in self._graph.paths(files) for module in self._modules_at(path)]


class _Program:
    """Files that run together.

    Args:
      reach: the code that may run.
      find_certain: returns the code that runs whatever the results of conditions are.
    """

    def __init__(self, files: Sequence[Module], reach: ReachedCode, find_certain: Callable[[], ReachedCode]) -> None:
        self.files, self.reach, self._find_certain = files, reach, find_certain

    @cached_property
    def certain_reach(self) -> ReachedCode:
        return self._find_certain()

    def with_reached(self, known: Sequence[tuple[Module, ast.AST]]) -> "_Program":
        """Returns the program with nodes that it is known to reach, each with its file."""
        return _Program(self.files, self.reach.with_reached(known), lambda: self.certain_reach.with_reached(known))

    @cached_property
    def meaning(self) -> Meaning | None:
        """The meaning of ``tf`` in the program; None if no name shows it."""
        return self.meaning_of(self.files)

    @cached_property
    def files_for_tf2(self) -> set[Module]:
        """The files with code for TensorFlow 2, which TensorFlow 1 may run too."""
        return {module for module in self.files if module.tf2_uses or module.v1_uses or module.tf2_compatible_uses}

    def meaning_of(self, files: Sequence[Module]) -> Meaning | None:
        """Returns the meaning of ``tf`` by the names of some files; None if they do not show it."""
        of_1 = [(module, node) for module in files for node in _uses_of_tf1(module)]
        of_2 = ((module, node) for module in files for node, _ in module.tf2_uses)
        contains = self.reach.contains
        is_on_1 = any(not _is_in_branch(*one) and contains(*one) and self.certain_reach.contains(*one) for one in of_1)
        is_on_2 = any(not _is_in_branch(*one) and contains(*one) for one in of_2)
        if is_on_1 or is_on_2:
            return Meaning.BOTH if is_on_1 and is_on_2 else Meaning.ONE if is_on_1 else Meaning.TWO
        if any(contains(*one) for one in of_1):
            return Meaning.BOTH if self.files_for_tf2.intersection(files) else Meaning.ONE
        return None

    def runs(self, module: Module) -> bool:
        """Whether the program reaches a name of TensorFlow 1, or an ambiguous name, in a file."""
        return any(self.reach.contains(module, node) for node, _ in [*module.tf1_uses, *module.ambiguous_uses])


def _uses_of_tf1(module: Module) -> Iterator[ast.expr]:
    """Yields the uses on which TensorFlow 2 fails when they run."""
    yield from (node for node, found in module.tf1_uses if found.api == "tf" and not found.is_private)
    yield from module.iterators


@tree_cache
def _is_in_branch(module: Module, node: ast.AST) -> bool:
    """Whether a function or file may run without reaching a node."""
    below = node
    for around in module.names.ancestors(node):
        if any(follows_a_return(block, below) for _, block in blocks([below, around])):
            return True
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return False
        if is_optional(below, around):
            return True
        below = around
    return False
