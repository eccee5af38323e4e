"""Which files take the object form together: those that imports connect and that share names of the Estimator API."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from migrate.analysis.program.closures import Marks
from migrate.analysis.program.facts import facts
from migrate.analysis.program.links import Link
from migrate.analysis.program.meaning_of_tf import settle
from migrate.analysis.program.programs import imported_model_fns, trained_unseen
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module


@dataclass(eq=False)
class Unit:
    """Files of one or more programs, in which names change together.

    Attributes:
      roots: those of the run that name the API.
      handed: the imports by which others bring in what they hand to the roots' estimators.
      files: the set of all files, by the tree's graph.
      ties: the set of those by which others would join it.
    """

    tree: Tree
    roots: list[Module]
    handed: list[Link]
    files: int
    ties: int

    @cached_property
    def links(self) -> list[Link]:
        """All files of the unit but its roots, each with an import that leads to it."""
        wanted = {*self.tree.graph.paths(self.files & ~self.root_files)}
        links: dict[str, Link] = {}
        for link in (*self.tree.closure(*self.roots), *self.handed):
            links.setdefault(link.target.path, link)
        return [link for path, link in links.items() if path in wanted]

    @property
    def root_files(self) -> int:
        """The set of the roots."""
        return self.tree.graph.bits(map(_path, self.roots))

    @cached_property
    def modules(self) -> list[Module]:
        """The files that can be read, the roots first."""
        paths = (link.target.path for link in self.links)
        return [*self.roots, *(self.tree.module(path) for path in paths if not facts(path).problem)]


def units(modules: Sequence[Module], tree: Tree) -> list[Unit]:
    """The units of some files: two programs are of one where both import a file that ties them.

    A file that trains what it may import unseen is tied to the files near it that make it.
    """
    for module in modules:
        tree.keep(module)
    graph = tree.graph
    makers = graph.bits(_path(module) for module in modules if module.names_estimator)
    found: list[Unit] = []
    known = 0  # what ties the units that are found
    for module in modules:
        handed = imported_model_fns(module, tree)
        files = tree.changing_files(module) | graph.bits(link.target.path for link in handed)
        ties = graph.ties.of(files)
        is_named = module.estimator or module.names_estimator_of_library
        if not is_named and not (ties and facts(_path(module)).changes):
            continue
        own = graph.bits([_path(module)])
        ties |= own | makers & graph.bits(trained_unseen(module, tree))
        unit = Unit(tree, [module], handed, files | own, ties)
        for other in [one for one in found if one.ties & ties] if known & ties else ():
            found.remove(other)
            roots, handed = [*other.roots, *unit.roots], [*other.handed, *unit.handed]
            unit = Unit(tree, roots, handed, other.files | unit.files, other.ties | unit.ties)
        known |= ties
        found.append(unit)
    for unit in found:
        unit.roots.sort(key=lambda root: not root.estimator)  # the first is where a reason is told
    settle(tree, [(unit.roots, unit.files) for unit in found])
    # One that means TensorFlow 2 by its names may have none that change.
    changing = Marks(graph, lambda path: facts(path).matters or tree.module(path).meaning == 1)
    for unit in found:
        unit.files = unit.root_files | changing.of(unit.files & ~unit.root_files)
    return found


def _path(module: Module) -> str:
    return os.path.abspath(module.path)
