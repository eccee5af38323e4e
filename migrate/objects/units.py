"""Which files take the object form together: those that imports connect and that share names of the Estimator API."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from migrate.analysis.facts import facts
from migrate.analysis.imports import Target
from migrate.analysis.module import Module
from migrate.analysis.programs import handed_in, trains_another_files
from migrate.analysis.tree import Link, Tree
from migrate.invocation import program
from migrate.rules.several_files import WRITTEN, is_written_by_a_cell, shared_with_2


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

    def obstacles(self) -> Iterator[tuple[str, str]]:
        """Why not all of the files can be changed, each reason with what to do about it."""
        roots = [Link(path, Target(path, "", ()), 1) for path in map(_path, self.roots)]
        needed = [*self.links, *(roots if self.tree.given else [])]  # a file that is judged by itself is there
        missing = [self.tree.name(link.target.path) for link in needed if link.target.path not in self.tree.given]
        for link in needed:
            path, name = link.target.path, self.tree.name(link.target.path)
            if facts(path).problem:
                yield f"its program needs {name}, which {facts(path).problem}", "Fix the file, then migrate again."
            elif link.target.other is not None:
                other = self.tree.name(link.target.other)
                reason = f"its program needs {name}, or {other}, according to how the program is started"
                yield reason, "Give one of the two files another name, or import it by its whole name."
            elif any(is_written_by_a_cell(module, self.tree) for module in self.roots):
                yield f"its program needs {name}, {WRITTEN}", f"Put the module into a file beside {name}."
            elif path not in self.tree.given:
                yield f"its program needs {name}, which is not among the given files", _together(self.roots, missing)
        for path in dict.fromkeys(
            link.target.path for link in [*self.links, *roots] if not facts(link.target.path).problem
        ):
            name, found = self.tree.name(path), self.tree.users.get(path, ()) if facts(path).ties else ()
            beside = [user for user in self._importers(path) if user not in found]
            users = [self.tree.name(user) for user in [*found, *beside]]
            if (user_on_2 := self.tree.user_on_2(path)) is not None:
                yield shared_with_2(self.tree.name(user_on_2), name)
            elif users:
                reason = f"{users[0]}, which is not among the given files, works with {name} too"
                yield reason, _together(self.roots, [*missing, *users])

    def _importers(self, path: str) -> list[str]:
        """The files that are not given, name the Estimator API and import a file of the unit."""
        if not self.tree.given or not facts(path).ties:
            return []
        importers = self.tree.importers(self.tree.module(path), "estimator")
        return [user for user in importers if user not in self.tree.given and facts(user).names_api]


def units(modules: Sequence[Module], tree: Tree) -> list[Unit]:
    """The units of some files: two programs are of one where both import a file that ties them.

    A file that trains what it is not seen to import is tied to the files near it that make an estimator.

    Args:
      modules: the files.
      tree: the files around them.
    """
    for module in modules:
        tree.keep(module)
    makers = {_path(module) for module in modules if module.names_estimator}
    found: list[tuple[Unit, set[str]]] = []  # each with the files by which others would join it
    for module in modules:
        links = [*tree.changing(module), *handed_in(module, tree)]
        ties = {link.target.path for link in links if facts(link.target.path).ties}
        if not module.estimator and not (ties and facts(_path(module)).changes):
            continue
        ties.add(_path(module))
        if trains_another_files(module, tree):
            ties |= makers.intersection(tree.near(module))
        unit = Unit(tree, [module], links)
        for other, shared in [one for one in found if one[1] & ties]:
            found.remove((other, shared))
            unit, ties = Unit(tree, [*other.roots, *unit.roots], [*other.links, *unit.links]), ties | shared
        found.append((unit, ties))
    for unit, _ in found:
        unit.roots.sort(key=lambda root: not root.estimator)  # the first is where a reason is told
        own = {_path(root) for root in unit.roots}
        unit.links = list({link.target.path: link for link in unit.links if link.target.path not in own}.values())
    return [unit for unit, _ in found]


def _path(module: Module) -> str:
    return os.path.abspath(module.path)


def _together(roots: Sequence[Module], others: Sequence[str]) -> str:
    return f"Migrate them together: {program()} {' '.join(sorted({*(root.path for root in roots), *others}))}"
