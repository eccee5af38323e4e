"""The modules that a file's imports lead to, read only when something asks for them."""

import ast
import os
import re
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import or_
from typing import Any

from migrate.analysis.program.closures import FileGraph
from migrate.analysis.program.facts import (
    Facts,
    Imports,
    calls_within_at,
    calls_within_functions,
    defined_at,
    defined_in,
    facts,
    facts_of,
    from_files,
    imported_in,
    importing,
    imports_at,
    imports_of,
    named_source,
    naming_estimators,
    pip_packages,
    stands_in,
    text_at,
)
from migrate.analysis.program.links import Link, imports_file_at, links_at, links_of, resolve_from
from migrate.analysis.program.needs import Use
from migrate.analysis.source.imports import Target, importing_root
from migrate.analysis.source.module import Module, module_of
from migrate.files.read import read
from migrate.files.repository import repository
from migrate.files.run_cache import run_cache
from migrate.files.sources import NOTEBOOK
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable

_TEST = re.compile(r"^test_|_test\.py$")
"""A test tells nothing of the TensorFlow that what it tests is for: it runs on the same one."""

_LONGEST = 20
"""Imports may lead from file to file in a circle."""


class Tree:
    """The files around those of one program.

    Args:
      given: the files that the user gave, absolute, and their names on the command line.
      users: files with estimators that the user did not give, by the files that they import.

    Attributes:
      answers: what was asked of these files, by the question: programs ask the same of the files that they share.
    """

    def __init__(
        self, given: Mapping[str, str] | None = None, users: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.given = dict(given or {})
        self.users = dict(users or {})
        self._modules: dict[str, Module] = {}
        self._sources: dict[str, SourceText] = {}
        self._added: set[str] = set()
        self._of_1: set[str] = set()  # the files whose names are taken for TensorFlow 1's
        self._known: dict[str, Facts] = {}
        self._imported: dict[str, Imports] = {}
        self._closures: dict[tuple[str, tuple[Link, ...]], tuple[Link, ...]] = {}
        self._own_links: dict[tuple[str, ast.Module], tuple[Link, ...]] = {}
        self._graph: FileGraph | None = None
        self._importers: dict[tuple[str, str], tuple[str, ...]] = {}
        self.answers: dict[tuple[Hashable, ...], Any] = {}

    def add(self, path: str, text: str) -> None:
        """Takes in another text of a file, absolute, than the one on the disk."""
        self._sources[path] = replace(self.source(path), text=text)
        self._added.add(path)
        self._modules.pop(path, None)
        self._of_1.discard(path)
        self._graph = None
        for known in (self._known, self._imported, self._closures, self._own_links, self._importers, self.answers):
            known.clear()

    def source(self, path: str) -> SourceText:
        """The text of a file, absolute; of a notebook the Python of its cells."""
        if path not in self._sources:
            self._sources[path] = named_source(path, self.name(path))
        return self._sources[path]

    def module(self, path: str) -> Module:
        """Returns the module of a file, absolute; raises Unreadable if it cannot be read or parsed."""
        if path not in self._modules:
            self._modules[path] = module_of(self.source(path))
            self._imports(path)  # while its tree is kept
        return self._modules[path]

    def readable(self, paths: Iterable[str]) -> Iterator[Module]:
        """The modules of some files, but for those that cannot be read or parsed."""
        for path in paths:
            with suppress(Unreadable):
                yield self.module(os.path.abspath(path))

    def keep(self, module: Module) -> None:
        """Takes in the module of a file that was read elsewhere, so that one object stands for it."""
        if module.path.endswith(".py"):
            self._modules.setdefault(os.path.abspath(module.path), module)

    def name(self, path: str) -> str:
        """A file as the user would name it: as on the command line, else relative to the current directory."""
        given = self.given.get(path)
        if given is not None:
            return given
        relative = os.path.relpath(path)
        return path if relative.startswith(os.pardir) else relative

    def target(self, module: Module, dotted: str) -> Target | None:
        """The file that a dotted name leads into from a module, or None where that is no file of the tree."""
        if dotted.split(".")[0] in pip_packages(module.path):
            return None
        own = os.path.abspath(module.path)
        return resolve_from(os.path.dirname(own), dotted, self._imports(own).searched)

    def owner(self, module: Module, dotted: str) -> tuple[Module | None, str]:
        """The module of the tree, and the name at its top, that a dotted import of a module leads to; None for none."""
        for _ in range(_LONGEST):
            found = self.target(module, dotted)
            if found is None or len(found.names) != 1:
                return None, ""
            try:
                module = self.module(found.path)
            except Unreadable:
                return None, ""
            name = found.names[0]
            bindings = module.names.top.bindings.get(name, [])
            if len(bindings) != 1 or bindings[0].imported is None:
                return module, name
            dotted = bindings[0].imported
        return None, ""

    def closure(self, *modules: Module) -> list[Link]:
        """Every import that runs when files are imported, each file once, those of the first file itself first."""
        if len(modules) == 1:
            return [*self._led_to(os.path.abspath(modules[0].path), self.own_links(modules[0]))]
        links: dict[str, Link] = {}
        for module in modules:
            links.update(self._following(os.path.abspath(module.path), self.own_links(module), links))
        return [*links.values()]

    def own_links(self, module: Module) -> tuple[Link, ...]:
        """The imports of a module itself."""
        start = os.path.abspath(module.path)
        if (start, module.tree) not in self._own_links:
            own = from_files(start, imported_in(module.tree))
            self._own_links[start, module.tree] = links_of(start, own, self._imports(start).searched)
        return self._own_links[start, module.tree]

    def below(self, module: Module) -> int:
        """The set of the files that the imports of a module lead to, itself left out."""
        return self._below(os.path.abspath(module.path), [link.target.path for link in self.own_links(module)])

    def _below(self, start: str, following: Sequence[str]) -> int:
        return (self.graph.bits(following) | self.graph.below.of(following)) & ~self.graph.bits([start])

    @property
    def graph(self) -> FileGraph:
        if self._graph is None:
            self._graph = FileGraph(self.targets_of, self._facts) if self._added else _graph_on_disk()
        return self._graph

    def targets_of(self, path: str) -> list[str]:
        """The files that the imports of a file, absolute, lead to at once."""
        return [link.target.path for link in self.links_from(path)]

    def closure_of(self, path: str) -> Sequence[Link]:
        """As ``closure``, of a file by its path, absolute; none where it cannot be parsed."""
        return self._led_to(path, self.links_from(path))

    def _led_to(self, start: str, own: tuple[Link, ...]) -> tuple[Link, ...]:
        if not self._added:
            return _led_to_at(start, own)
        if (start, own) not in self._closures:
            self._closures[start, own] = tuple(link for _, link in self._following(start, own))
        return self._closures[start, own]

    def nearest(self, start: str, own: Iterable[Link], most: int) -> list[str]:
        """The first files that the imports of a file lead to, those of the file itself first."""
        return [path for path, _ in islice(self._following(start, own), most)]

    def _following(self, start: str, own: Iterable[Link], known: Collection[str] = ()) -> Iterator[tuple[str, Link]]:
        """Each file that the imports of one lead to, with the first of them, but what is known and follows from it."""
        found, waiting = {start}, deque[str]()
        links = own
        while True:
            for link in links:
                path = link.target.path
                if path not in found and path not in known:
                    found.add(path)
                    yield path, link
                    waiting.append(path)
            if not waiting:
                return
            links = self.links_from(waiting.popleft())

    def led_to(self, paths: Collection[str]) -> set[str]:
        """Some files, absolute, and all that their imports lead to."""
        return {*paths, *self.graph.paths(self.graph.below.of(paths))}

    def links_into(self, paths: Collection[str]) -> list[Link]:
        """Every import of one of these files, absolute, wherever in the repository."""
        importers = {*paths, *(importer for path in paths for importer in self.importers_of(path))}
        importers |= self.led_to(paths)
        links = (link for importer in sorted(importers) for link in self.links_from(importer))
        return [link for link in links if link.target.path in paths]

    def importers(self, module: Module, name: str = "") -> list[str]:
        """The files, absolute, of the repository or else of the package that import a file and hold a name.

        Args:
          name: a word that the importers' text must hold; "" for any. Those without it are not parsed.
        """
        return self.importers_of(os.path.abspath(module.path), name)

    def importers_of(self, own: str, name: str = "") -> list[str]:
        """As ``importers``, of a file by its path, absolute."""
        if not self._added:
            return [*_importers_at(own, name)]
        if (own, name) not in self._importers:
            self._importers[own, name] = tuple(self._search_importers(own, name))
        return [*self._importers[own, name]]

    def seems_imported(self, module: Module) -> bool:
        """Whether some file imports a name that a file has."""
        return any(path != os.path.abspath(module.path) for path in _naming(os.path.abspath(module.path)))

    def _search_importers(self, own: str, name: str) -> Iterator[str]:
        # A package runs for what is below it, too; a module is imported by its own name alone.
        part = _stem(own) if _stem(own) != "__init__" else ""
        holding = (path for path in _naming(own) if path != own and (not name or self.holds(path, name)))
        for path in holding:
            if own in self._targets(path, part) if path in self._added else imports_file_at(path, own, part):
                yield path

    def near(self, module: Module) -> list[str]:
        """The files, absolute, that name the Estimator API beside a file or below it, else those beside its directory.

        An import that is made as the program runs, or of a package by another name than its folder's, leads there.
        """
        own = os.path.abspath(module.path)
        beside = os.path.dirname(own)
        above = os.path.dirname(beside)
        is_of_project = above.startswith(repository(own) or "\0") or os.path.exists(os.path.join(above, "__init__.py"))
        for directory in (beside, above) if is_of_project else (beside,):
            found = [path for path in naming_estimators(directory) if path != own]
            if found:
                return found
        return []

    def uses_with_needs(self, *modules: Module) -> list[tuple[str, Use]]:
        """What needs more than the newest TensorFlow and NumPy in files that some modules import, with their names."""
        own = {os.path.abspath(module.path) for module in modules}
        paths = [link.target.path for link in self.closure(*modules) if link.target.path not in own]
        return [(self.name(path), use) for path in paths for use in self._facts(path).uses_with_needs]

    def imports_package(self, name: str, *modules: Module) -> bool:
        """Whether some file of a program, one that does not change included, imports a package."""
        own = [dotted for module in modules for dotted, _ in imported_in(module.tree)]
        below = [dotted for link in self.closure(*modules) for dotted, _ in self._imports(link.target.path).names]
        return any(dotted.split(".")[0] == name for dotted in [*own, *below])

    def user_on_2(self, path: str) -> str | None:
        """A file, absolute, of a program for TensorFlow 2 that imports a file whose names are taken for TensorFlow 1's.

        Its names mean another thing there: they would change with an import of ``tensorflow.compat.v1``.
        """
        if path not in self._of_1:
            return None
        importers = self.importers(self.module(path), "tensorflow")
        programs = (user for user in importers if user not in self._of_1 and not _TEST.search(os.path.basename(user)))
        return next((user for user in programs if self._is_on_2(user)), None)

    def _is_on_2(self, path: str) -> bool:
        """Whether a file and its imports work without TensorFlow 1 and without Estimators."""
        if path.endswith(NOTEBOOK) or self._facts(path).matters:
            return False
        return not self.graph.needs_tf1.of(self.below(self.module(path)))

    def _targets(self, path: str, word: str = "") -> set[str]:
        """The files that a file imports, by a name with ``word`` in it; "" for any name."""
        imports = self._imports(path)
        names = tuple(one for one in imports.names if not word or word in one[0].split("."))
        return {link.target.path for link in links_of(path, names, imports.searched)}

    def _facts(self, path: str) -> Facts:
        if path not in self._added:
            return facts(path)
        if path not in self._known:
            self._known[path] = facts_of(self._sources[path])
        return self._known[path]

    def _imports(self, path: str) -> Imports:
        if path not in self._imported:
            self._imported[path] = imports_of(self._sources[path]) if path in self._added else imports_at(path)
        return self._imported[path]

    def links_from(self, path: str) -> tuple[Link, ...]:
        """The links from a file, absolute."""
        if path in self._added:
            imports = self._imports(path)
            return links_of(path, imports.names, imports.searched)
        return links_at(path)

    def holds(self, path: str, *words: str) -> bool:
        """Whether one of some words stands in the text of a file, absolute; not in one that cannot be read."""
        if path not in self._added:
            return any(_holds_at(path, word) for word in words)
        text = self._sources[path].text
        return any(word in text and stands_in(word, text) for word in words)

    def defines(self, path: str, name: str) -> bool:
        """Whether the text of a file, absolute, seems to define a function or a class of a name."""
        try:
            return name in (defined_in(self._sources[path].text) if path in self._added else defined_at(path))
        except Unreadable:
            return False

    def calls_within(self, path: str) -> Mapping[str, Collection[str]]:
        """What is called within the functions of a file, absolute, by their names; nothing if it cannot be parsed."""
        try:
            return calls_within_functions(self.module(path).tree) if path in self._added else calls_within_at(path)
        except Unreadable:
            return {}

    def changing(self, *modules: Module) -> list[Link]:
        """An import of each file of the closures that ``changing_files`` gives."""
        wanted = {*self.graph.paths(self.changing_files(*modules))}
        return [link for link in self.closure(*modules) if link.target.path in wanted]

    def changing_files(self, *modules: Module) -> int:
        """The set of files of the closures in which a migration changes names, or which cannot be read.

        Where one of these files speaks TensorFlow 1, those whose names mean another thing in TensorFlow 2 may change.
        """
        bits = reduce(or_, map(self.below, modules), 0)
        return self._changing(bits, any(one.needs_tf1 for one in modules))

    def changing_files_at(self, path: str) -> int:
        """As ``changing_files``, of a file by its path, absolute, which is not parsed for that."""
        return self._changing(self._below(path, self.targets_of(path)), self._facts(path).needs_tf1)

    def _changing(self, bits: int, needs_tf1: bool) -> int:
        graph = self.graph
        is_of_1 = needs_tf1 or graph.needs_tf1.of(bits)
        return graph.matters.of(bits) | (graph.has_ambiguous_names.of(bits) if is_of_1 else 0)

    def mark_as_tf1(self, module: Module) -> None:
        """Marks a file's names as TensorFlow 1's, for every importer."""
        module.mark_as_tf1()
        if module.ambiguous_uses:
            self._of_1.add(os.path.abspath(module.path))


def _naming(own: str) -> Sequence[str]:
    """The files that import a name that a file, absolute, has: its own, or of a package its folder's."""
    directory, stem = os.path.dirname(own), _stem(own)
    word = os.path.basename(directory) if stem == "__init__" else stem
    return importing(importing_root(directory)).get(word, ())


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".py")


@run_cache
def _graph_on_disk() -> FileGraph:
    """That of the files on the disk, which all trees of a run have in common."""
    return FileGraph(Tree().targets_of, facts)


@run_cache
def _importers_at(own: str, name: str) -> tuple[str, ...]:
    """The importers of a file by the files on the disk, which all trees of a run have in common."""
    return tuple(Tree()._search_importers(own, name))


@run_cache
def _holds_at(path: str, word: str) -> bool:
    """Whether a word stands in a file, absolute: programs ask the same of the files that they share."""
    try:
        if path.endswith(NOTEBOOK) and word.isascii() and word.encode() not in read(path):
            return False  # its cells are not joined for that
        text = text_at(path)
    except Unreadable:
        return False
    return word in text and stands_in(word, text)


@run_cache
def _led_to_at(start: str, own: tuple[Link, ...]) -> tuple[Link, ...]:
    """All that a file with these imports leads to by the files on the disk, as ``_importers_at``."""
    return tuple(link for _, link in Tree()._following(start, own))
