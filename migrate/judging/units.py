"""Which files take the object form together: those that imports connect and that share names of the Estimator API."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from migrate.analysis.facts import facts
from migrate.analysis.links import Link
from migrate.analysis.meaning_of_tf import settle
from migrate.analysis.module import Module
from migrate.analysis.programs import imported_model_fns, trained_unseen
from migrate.analysis.tree import Tree


@dataclass
class Unit:
    """Files of one or more programs, in which names change together.

    Attributes:
      tree: the files around them.
      roots: those of the run that name the API.
      links: all files of the unit but its roots, each with an import that leads to it.
    """

    tree: Tree
    roots: list[Module]
    links: list[Link] = field(default_factory=list)

    @property
    def modules(self) -> list[Module]:
        """The files that can be read, the roots first."""
        others = [self.tree.module(link.target.path) for link in self.links if not facts(link.target.path).problem]
        return [*self.roots, *(module for module in others if module not in self.roots)]


def units(modules: Sequence[Module], tree: Tree) -> list[Unit]:
    """The units of some files: two programs are of one where both import a file that ties them.

    A file that trains what it may import unseen is tied to the files near it that make it.

    Args:
      modules: the files.
      tree: the files around them.
    """
    for module in modules:
        tree.keep(module)
    makers = {_path(module) for module in modules if module.names_estimator}
    found: list[tuple[Unit, set[str]]] = []  # each with the files by which others would join it
    for module in modules:
        links = [*tree.changing(module), *imported_model_fns(module, tree)]
        ties = {link.target.path for link in links if facts(link.target.path).ties}
        is_named = module.estimator or module.names_estimator_of_library
        if not is_named and not (ties and facts(_path(module)).changes):
            continue
        ties.add(_path(module))
        ties |= makers.intersection(trained_unseen(module, tree))
        unit = Unit(tree, [module], links)
        for other, shared in [one for one in found if one[1] & ties]:
            found.remove((other, shared))
            unit, ties = Unit(tree, [*other.roots, *unit.roots], [*other.links, *unit.links]), ties | shared
        found.append((unit, ties))
    for unit, _ in found:
        unit.roots.sort(key=lambda root: not root.estimator)  # the first is where a reason is told
        own = {_path(root) for root in unit.roots}
        unit.links = [link for path, link in {link.target.path: link for link in unit.links}.items() if path not in own]
    settle(tree, [(unit.roots, unit.modules) for unit, _ in found])
    for unit, _ in found:
        unit.links = [link for link in unit.links if _changes(link, tree)]
    return [unit for unit, _ in found]


def _changes(link: Link, tree: Tree) -> bool:
    """Whether the unit has to do with a file: one that means TensorFlow 2 by its names may have none that change."""
    own = facts(link.target.path)
    return own.matters or tree.module(link.target.path).meaning == 1


def _path(module: Module) -> str:
    return os.path.abspath(module.path)
