"""Groups files into units that are rewritten together: they import each other and name the Estimator API."""

import os
from collections.abc import Sequence
from functools import cached_property

from migrate.analysis.program.closures import FileFilter
from migrate.analysis.program.facts import facts
from migrate.analysis.program.links import Link
from migrate.analysis.program.meaning_of_tf import settle_meanings
from migrate.analysis.program.programs import imported_model_fns, possible_makers
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.records import dataclass


@dataclass(eq=False)
class Unit:
    """Files of one or more programs that are rewritten together.

    Attributes:
      roots: the files of the run that name the API.
      passed_imports: the imports by which other files get the functions that they pass to the roots' estimators.
      files: the set of all files, as bits of the tree's graph.
      ties: the set of files that connect it: a program that imports one of them belongs to the unit.
    """

    tree: Tree
    roots: list[Module]
    passed_imports: list[Link]
    files: int
    ties: int

    @cached_property
    def links(self) -> list[Link]:
        """An import of each file of the unit, except its roots."""
        wanted = {*self.tree.graph.paths(self.files & ~self.root_files)}
        links: dict[str, Link] = {}
        for link in (*self.tree.closure(*self.roots), *self.passed_imports):
            links.setdefault(link.target.path, link)
        return [link for path, link in links.items() if path in wanted]

    @property
    def root_files(self) -> int:
        """The set of the roots, as bits of the tree's graph."""
        return self.tree.graph.bits(map(_path, self.roots))

    @cached_property
    def modules(self) -> list[Module]:
        """The files that can be read, the roots first."""
        paths = (link.target.path for link in self.links)
        return [*self.roots, *(self.tree.module(path) for path in paths if not facts(path).problem)]


def units(modules: Sequence[Module], tree: Tree) -> list[Unit]:
    """Returns the units of some files: two programs that import the same tie are one unit.

    A file that trains an estimator which it may import at run time is tied to the files near it that make one.
    """
    for module in modules:
        tree.add_module(module)
    graph = tree.graph
    makers = graph.bits(_path(module) for module in modules if module.names_estimator)
    found: list[Unit] = []
    known = 0  # the ties of the units found so far
    for module in modules:
        is_named = module.estimator_uses or module.names_estimator_of_library
        if not is_named and not module.changes:
            continue  # whatever it imports
        passed_imports = imported_model_fns(module, tree)
        files = tree.changing_files(module) | graph.bits(link.target.path for link in passed_imports)
        ties = graph.tying_files.select(files)
        if not is_named and not (ties and facts(_path(module)).changes):
            continue
        own = graph.bits([_path(module)])
        ties |= own | makers & graph.bits(possible_makers(module, tree))
        unit = Unit(tree, [module], passed_imports, files | own, ties)
        for other in [one for one in found if one.ties & ties] if known & ties else ():
            found.remove(other)
            roots, passed_imports = [*other.roots, *unit.roots], [*other.passed_imports, *unit.passed_imports]
            unit = Unit(tree, roots, passed_imports, other.files | unit.files, other.ties | unit.ties)
        known |= ties
        found.append(unit)
    for unit in found:
        unit.roots.sort(key=lambda root: not root.estimator_uses)  # a reason to skip the unit is reported in the first
    settle_meanings(tree, [(unit.roots, unit.files) for unit in found])
    # A file for TensorFlow 2 may have no names that change.
    changing = FileFilter(graph, lambda path: facts(path).is_relevant or tree.module(path).meaning == 1)
    for unit in found:
        unit.files = unit.root_files | changing.select(unit.files & ~unit.root_files)
    return found


def _path(module: Module) -> str:
    return os.path.abspath(module.path)
