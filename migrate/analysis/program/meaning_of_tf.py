"""Which TensorFlow ``tf`` is in the files of a program, by the names in the code that it runs."""

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cache, cached_property, reduce
from operator import or_

from migrate.analysis.program.closures import Closures, Marks
from migrate.analysis.program.links import Link
from migrate.analysis.program.reached_code import ReachedCode, follows_a_return, is_optional, main_part
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import blocks
from migrate.analysis.source.symbols import Symbol, estimator_kind
from migrate.files.run_cache import tree_cache
from migrate.files.sources import is_generated

_PREMADE = "premade"
"""The kinds of estimators of which TensorFlow 1's sum the losses of a batch, and TensorFlow 2's take their mean."""


class Meaning(Enum):
    """The TensorFlow that a program is written for; ``BOTH`` where it holds code for each of them."""

    ONE = 1
    TWO = 2
    BOTH = 3


def settle(tree: Tree, units: Sequence[tuple[Sequence[Module], int]]) -> None:
    """Takes the names of each file for those of the TensorFlow that the programs around it are written for.

    Args:
      units: the files that programs are started by, or that make their estimators; and the set of all that change with
        them.
    """
    graph, known = tree.graph, _Programs(tree, [root for roots, _ in units for root in roots])
    programs: dict[str, list[_Program]] = {}
    placed, changing = set[_Program](), 0
    for roots, together in units:
        if not known.telling.of(together):
            continue
        changing |= together
        seen = reduce(or_, (graph.bits([os.path.abspath(root.path)]) | tree.below(root) for root in roots))
        for root in roots:
            program = known.of(root, together & ~seen)
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
            unclear = (one for one in _unclear(module) if any(each.reach.holds(module, one[0]) for each in around))
            module.mark_as_tf2([*unclear])


def _meanings(programs: Sequence["_Program"]) -> set[Meaning]:
    """What ``tf`` is in some programs that share a file; one that TensorFlow 1 runs too says nothing against others."""
    files = {module for one in programs if one.meaning for module in one.files}
    return {one.meaning or Meaning.TWO for one in programs if one.meaning or one.speakers - files}


def _unclear(module: Module) -> Iterator[tuple[ast.expr, Symbol]]:
    """The names with two meanings, premade estimators too; but those of datasets, whose elements are the same."""
    yield from (one for one in module.ambiguous_uses if not one[1].tail.startswith("data."))
    yield from (one for one in module.estimator_uses if one[1].api == "tf" and estimator_kind(one[1]) == _PREMADE)


def _is_guarded(tree: Tree, link: Link) -> bool:
    asked = ("guarded import", link.importer, link.line)
    if asked not in tree.answers:
        tree.answers[asked] = _stands_guarded(tree, link)
    return bool(tree.answers[asked])


def _stands_guarded(tree: Tree, link: Link) -> bool:
    for module in tree.readable([link.importer]):
        return any(one.lineno == link.line and is_guarded(module.names, one) for one in module.names.imports)
    return False


class _Programs:
    """The programs that some files start or make estimators for."""

    def __init__(self, tree: Tree, roots: Iterable[Module]) -> None:
        self._tree = tree
        graph = self._graph = tree.graph
        self._roots = {os.path.abspath(root.path): root for root in roots}
        self._imported = Closures(tree.targets_of, lambda path: self._unguarded(tree.links_from(path)))
        self._importers = Closures(tree.importers_of, lambda path: self._graph.bits(tree.importers_of(path)))
        self._parts = Marks(self._graph, lambda path: any(not is_generated(one.text) for one in self._modules_at(path)))
        self._mains = Marks(self._graph, lambda path: any(main_part(one.tree) for one in self._modules_at(path)))
        self._alike: dict[tuple[int, int], _Program] = {}
        self.telling = Marks(graph, lambda path: any(one.tf1_uses or one.iterators for one in self._modules_at(path)))

    def of(self, root: Module, handed_in: int) -> "_Program":
        """What one file starts, or makes an estimator for; one for all files that lead to the same code.

        It is made of the file, of what its imports lead to but for those that TensorFlow 2 does without, and of the
        files that import it, and those that import these.

        Args:
          handed_in: the set of files that are a part of it and that no import leads to.
        """
        path, links = os.path.abspath(root.path), self._tree.own_links(root)
        own, imported = self._graph.bits([path]), self._imported.of(link.target.path for link in links)
        below = own | imported | self._unguarded(links) | handed_in
        above = self._importers.of([path]) & ~below
        files, started = self._parts.of(below | above), own | above
        key = files, self._mains.of(started)
        if key not in self._alike:
            self._alike[key] = _Program(self.modules(files), self.modules(started), ())
        known = [(root, node) for node, _ in root.estimator_uses]
        if all(self._alike[key].reach.covers(*place) for place in known):
            return self._alike[key]
        return _Program(self.modules(files), self.modules(started), known)

    def modules(self, files: int) -> list[Module]:
        """Those of some files that can be read."""
        return [module for path in self._graph.paths(files) for module in self._modules_at(path)]

    def _unguarded(self, links: Iterable[Link]) -> int:
        return self._graph.bits(link.target.path for link in links if not _is_guarded(self._tree, link))

    def _modules_at(self, path: str) -> Sequence[Module]:
        return [self._roots[path]] if path in self._roots else [*self._tree.readable([path])]


class _Program:
    """Files that run together.

    Args:
      started: those of them that run as the program starts.
      known: places that it is known to reach, with their files.
    """

    def __init__(
        self, files: Sequence[Module], started: Sequence[Module], known: Sequence[tuple[Module, ast.AST]]
    ) -> None:
        self.files = files
        self.reach = ReachedCode(started, files, known)
        self._places = started, files, known

    @cached_property
    def sure_reach(self) -> ReachedCode:
        """The code that it comes to whatever its conditions are."""
        return ReachedCode(*self._places, True)

    @cached_property
    def meaning(self) -> Meaning | None:
        """What its ``tf`` is; None where nothing tells."""
        return self.meaning_of(self.files)

    @cached_property
    def speakers(self) -> set[Module]:
        """The files that name something for TensorFlow 2, which TensorFlow 1 may have too."""
        return {module for module in self.files if module.tf2_uses or module.v1_uses or module.tf2_compatible_uses}

    def meaning_of(self, files: Sequence[Module]) -> Meaning | None:
        """What ``tf`` is in some of its files by their own names; None where nothing tells."""
        of_1 = [(module, node) for module in files for node in _uses_of_1(module)]
        of_2 = ((module, node) for module in files for node, _ in module.tf2_uses)
        holds = self.reach.holds
        is_on_1 = any(not _is_in_branch(*one) and holds(*one) and self.sure_reach.holds(*one) for one in of_1)
        is_on_2 = any(not _is_in_branch(*one) and holds(*one) for one in of_2)
        if is_on_1 or is_on_2:
            return Meaning.BOTH if is_on_1 and is_on_2 else Meaning.ONE if is_on_1 else Meaning.TWO
        if any(holds(*one) for one in of_1):
            return Meaning.BOTH if self.speakers.intersection(files) else Meaning.ONE
        return None

    def runs(self, module: Module) -> bool:
        """Whether it comes to a name of a file that tells, or that has two meanings."""
        return any(self.reach.holds(module, node) for node, _ in [*module.tf1_uses, *module.ambiguous_uses])


def _uses_of_1(module: Module) -> Iterator[ast.expr]:
    """What TensorFlow 2 fails on as soon as it runs."""
    yield from (node for node, found in module.tf1_uses if found.api == "tf" and not found.is_private)
    yield from module.iterators


@tree_cache
def _is_in_branch(module: Module, node: ast.AST) -> bool:
    """Whether a function, or a file, may run without coming to a node; programs ask it of the files that they share."""
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
