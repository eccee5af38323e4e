"""The files of a tree and their imports; a file is read only when it is needed."""

import ast
import os
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
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
    contains_word,
    definitions_at,
    definitions_in,
    facts,
    facts_of,
    files_by_imported_word,
    files_with_estimators,
    imported_names,
    imports_at,
    imports_of,
    pip_packages,
    source_at,
    text_at,
    without_pip_packages,
)
from migrate.analysis.program.links import Link, imports_file_at, links_at, links_of, resolve_from
from migrate.analysis.program.needs import Use
from migrate.analysis.source.imports import Target, importing_root
from migrate.analysis.source.module import Module, module_of
from migrate.files.read import read
from migrate.files.repository import repository
from migrate.files.run_cache import run_cache
from migrate.files.sources import NOTEBOOK, is_test
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.records import replace

_MAX_STEPS = 20
"""The most imports to follow from file to file; they may form a cycle."""


class Tree:
    """The files of a program and of the programs around it.

    Args:
      given: the absolute paths of the files that the user gave, with their names on the command line.
      users: files with estimators that the user did not give, by the files that they import.

    Attributes:
      answers: a cache for results about these files, by question; programs share it.
    """

    def __init__(
        self, given: Mapping[str, str] | None = None, users: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.given = dict(given or {})
        self.users = dict(users or {})
        self._modules: dict[str, Module] = {}
        self._sources: dict[str, SourceText] = {}
        self._added: set[str] = set()
        self._tf1_files: set[str] = set()  # the files whose ambiguous names mean TensorFlow 1
        self._known: dict[str, Facts] = {}
        self._imported: dict[str, Imports] = {}
        self._closures: dict[tuple[str, tuple[Link, ...]], tuple[Link, ...]] = {}
        self._own_links: dict[tuple[str, ast.Module], tuple[Link, ...]] = {}
        self._graph: FileGraph | None = None
        self._importers: dict[tuple[str, str], tuple[str, ...]] = {}
        self.answers: dict[tuple[Hashable, ...], Any] = {}

    def add(self, path: str, text: str) -> None:
        """Replaces the text of the file at an absolute path by another than the one on disk."""
        self._sources[path] = replace(self.source(path), text=text)
        self._added.add(path)
        self._modules.pop(path, None)
        self._tf1_files.discard(path)
        self._graph = None
        for known in (self._known, self._imported, self._closures, self._own_links, self._importers, self.answers):
            known.clear()

    def source(self, path: str) -> SourceText:
        """Returns the source of the file at an absolute path; for a notebook the Python of its cells."""
        if path not in self._sources:
            self._sources[path] = source_at(path, self.name(path))
        return self._sources[path]

    def module(self, path: str) -> Module:
        """Returns the module of the file at an absolute path; raises Unreadable if it cannot be read or parsed."""
        if path not in self._modules:
            self._modules[path] = module_of(self.source(path))
            self._imports(path)  # while its tree is kept
        return self._modules[path]

    def readable(self, paths: Iterable[str]) -> Iterator[Module]:
        """Yields the modules of some files, without those that cannot be read or parsed."""
        for path in paths:
            with suppress(Unreadable):
                yield self.module(os.path.abspath(path))

    def add_module(self, module: Module) -> None:
        """Adds the module of a file that was read elsewhere, so that the tree returns this object."""
        if module.path.endswith(".py"):
            self._modules.setdefault(os.path.abspath(module.path), module)

    def name(self, path: str) -> str:
        """Returns the name of a file for messages: as on the command line, else relative to the current directory."""
        given = self.given.get(path)
        if given is not None:
            return given
        relative = os.path.relpath(path)
        return path if relative.startswith(os.pardir) else relative

    def target(self, module: Module, dotted: str) -> Target | None:
        """Returns the file that a dotted import of a module loads, or None if it is not in the tree."""
        if dotted.split(".")[0] in pip_packages(module.path):
            return None
        own = os.path.abspath(module.path)
        return resolve_from(os.path.dirname(own), dotted, self._imports(own).search_path)

    def owner(self, module: Module, dotted: str) -> tuple[Module | None, str]:
        """Returns the module, and its top-level name, that a dotted import refers to; (None, "") for none."""
        for _ in range(_MAX_STEPS):
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
        """Returns the imports that run when files are imported, one for each imported file, nearest first."""
        if len(modules) == 1:
            return [*self._closure_links(os.path.abspath(modules[0].path), self.own_links(modules[0]))]
        links: dict[str, Link] = {}
        for module in modules:
            links.update(self._walk_imports(os.path.abspath(module.path), self.own_links(module), links))
        return [*links.values()]

    def own_links(self, module: Module) -> tuple[Link, ...]:
        """Returns the imports that a module contains, without those of the modules that it imports."""
        start = os.path.abspath(module.path)
        if (start, module.tree) not in self._own_links:
            own = without_pip_packages(start, imported_names(module.tree))
            self._own_links[start, module.tree] = links_of(start, own, self._imports(start).search_path)
        return self._own_links[start, module.tree]

    def imported_files(self, module: Module) -> int:
        """Returns the set of files that the imports of a module lead to, without itself."""
        return self._imported_files(os.path.abspath(module.path), [link.target.path for link in self.own_links(module)])

    def _imported_files(self, start: str, following: Sequence[str]) -> int:
        return (self.graph.bits(following) | self.graph.imported_files.union(following)) & ~self.graph.bits([start])

    @property
    def graph(self) -> FileGraph:
        if self._graph is None:
            self._graph = FileGraph(self.targets_of, self._facts) if self._added else _graph_on_disk()
        return self._graph

    def targets_of(self, path: str) -> list[str]:
        """Returns the files that a file imports itself."""
        return [link.target.path for link in self.links_from(path)]

    def closure_of(self, path: str) -> Sequence[Link]:
        """Returns ``closure`` of the file at an absolute path; empty if it cannot be parsed."""
        return self._closure_links(path, self.links_from(path))

    def _closure_links(self, start: str, own: tuple[Link, ...]) -> tuple[Link, ...]:
        if not self._added:
            return _closure_links_at(start, own)
        if (start, own) not in self._closures:
            self._closures[start, own] = tuple(link for _, link in self._walk_imports(start, own))
        return self._closures[start, own]

    def first_imports(self, start: str, own: Iterable[Link], most: int) -> list[str]:
        """Returns at most ``most`` of the files that the imports of a file lead to, nearest first."""
        return [path for path, _ in islice(self._walk_imports(start, own), most)]

    def _walk_imports(self, start: str, own: Iterable[Link], known: Collection[str] = ()) -> Iterator[tuple[str, Link]]:
        """Yields each file that imports lead to, with its first link, except through the files of ``known``."""
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

    def files_with_imports(self, paths: Collection[str]) -> set[str]:
        """Returns some files and all files that their imports lead to."""
        return {*paths, *self.graph.paths(self.graph.imported_files.union(paths))}

    def links_into(self, paths: Collection[str]) -> list[Link]:
        """Returns every import of one of some files in the repository."""
        importers = {*paths, *(importer for path in paths for importer in self.importers_of(path))}
        importers |= self.files_with_imports(paths)
        links = (link for importer in sorted(importers) for link in self.links_from(importer))
        return [link for link in links if link.target.path in paths]

    def importers(self, module: Module, name: str = "") -> list[str]:
        """Returns the paths of the files in the repository or package that import a file and contain ``name``."""
        return self.importers_of(os.path.abspath(module.path), name)

    def importers_of(self, own: str, name: str = "") -> list[str]:
        """Returns ``importers`` of the file at an absolute path."""
        if not self._added:
            return [*_importers_at(own, name)]
        if (own, name) not in self._importers:
            self._importers[own, name] = tuple(self._search_importers(own, name))
        return [*self._importers[own, name]]

    def seems_imported(self, module: Module) -> bool:
        """Whether some other file has an import that names this file."""
        return any(path != os.path.abspath(module.path) for path in _files_naming(os.path.abspath(module.path)))

    def _search_importers(self, own: str, name: str) -> Iterator[str]:
        # Importing a module also runs its packages; a module itself runs only under its own name.
        part = _stem(own) if _stem(own) != "__init__" else ""
        holding = (path for path in _files_naming(own) if path != own and (not name or self.contains_word(path, name)))
        for path in holding:
            if own in self._targets(path, part) if path in self._added else imports_file_at(path, own, part):
                yield path

    def nearby_files(self, module: Module) -> list[str]:
        """Returns the files in or below a file's directory that use the Estimator API, else those of the parent.

        Imports at run time, and of a package under another name than its directory's, may load such files.
        """
        own = os.path.abspath(module.path)
        beside = os.path.dirname(own)
        above = os.path.dirname(beside)
        is_of_project = above.startswith(repository(own) or "\0") or os.path.exists(os.path.join(above, "__init__.py"))
        for directory in (beside, above) if is_of_project else (beside,):
            found = [path for path in files_with_estimators(directory) if path != own]
            if found:
                return found
        return []

    def uses_with_needs(self, *modules: Module) -> list[tuple[str, Use]]:
        """Returns the uses that need more than the newest TensorFlow and NumPy in imported files, with file names."""
        own = {os.path.abspath(module.path) for module in modules}
        paths = [link.target.path for link in self.closure(*modules) if link.target.path not in own]
        return [(self.name(path), use) for path in paths for use in self._facts(path).uses_with_needs]

    def imports_package(self, name: str, *modules: Module) -> bool:
        """Whether any file of a program imports a package."""
        own = [dotted for module in modules for dotted, _ in imported_names(module.tree)]
        below = [dotted for link in self.closure(*modules) for dotted, _ in self._imports(link.target.path).names]
        return any(dotted.split(".")[0] == name for dotted in [*own, *below])

    def tf2_importer(self, path: str) -> str | None:
        """Returns a file of a TensorFlow 2 program that imports a file marked as TensorFlow 1; None for none.

        For that program, ``tensorflow.compat.v1`` in the imported file would change the meaning of names.
        """
        if path not in self._tf1_files:
            return None
        importers = self.importers(self.module(path), "tensorflow")
        # Tests run on the TensorFlow of the code that they test.
        programs = (one for one in importers if one not in self._tf1_files and not is_test(one))
        return next((one for one in programs if self._is_for_tf2(one)), None)

    def _is_for_tf2(self, path: str) -> bool:
        """Whether a file and its imports use neither TensorFlow 1 nor Estimators."""
        if path.endswith(NOTEBOOK) or self._facts(path).is_relevant:
            return False
        return not self.graph.tf1_files.select(self.imported_files(self.module(path)))

    def _targets(self, path: str, word: str = "") -> set[str]:
        """Returns the files that a file imports by a dotted name with the part ``word``; "" for any name."""
        imports = self._imports(path)
        names = tuple(one for one in imports.names if not word or word in one[0].split("."))
        return {link.target.path for link in links_of(path, names, imports.search_path)}

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
        """Returns the imports of the file at an absolute path."""
        if path in self._added:
            imports = self._imports(path)
            return links_of(path, imports.names, imports.search_path)
        return links_at(path)

    def contains_word(self, path: str, *words: str) -> bool:
        """Whether the file at an absolute path can be read and contains one of some words."""
        if path not in self._added:
            return any(_contains_word_at(path, word) for word in words)
        text = self._sources[path].text
        return any(word in text and contains_word(word, text) for word in words)

    def defines(self, path: str, name: str) -> bool:
        """Whether the file at an absolute path seems to define a function or class of a name."""
        try:
            return name in (definitions_in(self._sources[path].text) if path in self._added else definitions_at(path))
        except Unreadable:
            return False

    def calls_within(self, path: str) -> Mapping[str, Collection[str]]:
        """Returns ``calls_within_functions`` of the file at an absolute path; {} if it cannot be parsed."""
        try:
            return calls_within_functions(self.module(path).tree) if path in self._added else calls_within_at(path)
        except Unreadable:
            return {}

    def changing_links(self, *modules: Module) -> list[Link]:
        """Returns one import of each file of ``changing_files``."""
        wanted = {*self.graph.paths(self.changing_files(*modules))}
        return [link for link in self.closure(*modules) if link.target.path in wanted]

    def changing_files(self, *modules: Module) -> int:
        """Returns the imported files whose names a migration changes, or which cannot be read."""
        bits = reduce(or_, map(self.imported_files, modules), 0)
        return self._changing(bits, any(one.needs_tf1 for one in modules))

    def changing_files_at(self, path: str) -> int:
        """Returns ``changing_files`` of the file at an absolute path, without analysing its names."""
        return self._changing(self._imported_files(path, self.targets_of(path)), self._facts(path).needs_tf1)

    def _changing(self, bits: int, needs_tf1: bool) -> int:
        graph = self.graph
        is_of_1 = needs_tf1 or graph.tf1_files.select(bits)
        return graph.relevant_files.select(bits) | (graph.ambiguous_files.select(bits) if is_of_1 else 0)

    def mark_as_tf1(self, module: Module) -> None:
        """Gives the ambiguous names of a file the meaning of TensorFlow 1, for every importer."""
        module.mark_as_tf1()
        if module.ambiguous_uses:
            self._tf1_files.add(os.path.abspath(module.path))


def _files_naming(own: str) -> Sequence[str]:
    """Returns the files with an import statement that contains the name of a module or package."""
    directory, stem = os.path.dirname(own), _stem(own)
    word = os.path.basename(directory) if stem == "__init__" else stem
    return files_by_imported_word(importing_root(directory)).get(word, ())


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".py")


@run_cache
def _graph_on_disk() -> FileGraph:
    """Returns the graph of the files on disk, which all trees of a run share."""
    return FileGraph(Tree().targets_of, facts)


@run_cache
def _importers_at(own: str, name: str) -> tuple[str, ...]:
    """Returns the importers of a file among the files on disk, which all trees of a run share."""
    return tuple(Tree()._search_importers(own, name))


@run_cache
def _contains_word_at(path: str, word: str) -> bool:
    """Whether the file on disk at an absolute path contains a word."""
    try:
        if path.endswith(NOTEBOOK) and word.isascii() and word.encode() not in read(path):
            return False  # without joining its cells
        text = text_at(path)
    except Unreadable:
        return False
    return word in text and contains_word(word, text)


@run_cache
def _closure_links_at(start: str, own: tuple[Link, ...]) -> tuple[Link, ...]:
    """Returns the closure of a file with these imports, by the files on disk, which all trees of a run share."""
    return tuple(link for _, link in Tree()._walk_imports(start, own))
