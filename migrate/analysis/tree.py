"""The modules that a file's imports lead to, read only when something asks for them."""

import ast
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from migrate.analysis.imports import Target, importing_root, target_below, target_from, top
from migrate.analysis.legacy_keras import needs_tf_keras_in_graphs
from migrate.analysis.module import Module, module_of
from migrate.files.parse import parse
from migrate.files.read import cannot_read, read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.files.walk import NOTEBOOK, walk

_KNOWN = 2_000
"""So many files' imports are kept in memory, for the files that import the same ones."""

_TEST = re.compile(r"^test_|_test\.py$")
"""A test tells nothing of the TensorFlow that what it tests is for: it runs on the same one."""

_LONGEST = 20
"""Imports may lead from file to file in a circle."""


@dataclass(frozen=True)
class Link:
    """One import of one file by another.

    Attributes:
      importer: the file with the import, absolute.
      target: the file that is imported.
      line: where.
    """

    importer: str
    target: Target
    line: int


@dataclass(frozen=True)
class Imports:
    """Where a file's imports may lead, which is known without binding its names.

    Attributes:
      names: the dotted names that it imports, with their lines.
      searched: the directories that it puts on ``sys.path``, as it spells them from another one.
    """

    names: tuple[tuple[str, int], ...] = ()
    searched: tuple[str, ...] = ()


@dataclass(frozen=True)
class Facts:
    """What a file's names tell those that import it.

    Attributes:
      changes: whether it holds names that a migration changes, ``tf.estimator`` or TensorFlow 1's own.
      names_api: whether it names the Estimator API by more than names that TensorFlow has elsewhere too.
      ties: whether these are names by which all programs that import the file are tied together: more than the modes.
      speaks_tf1: whether only TensorFlow 1 can run it.
      has_other_in_2: whether it holds names that mean another thing in TensorFlow 2.
      needs_tf_keras: whether it holds names that need ``tf_keras`` from TensorFlow 2.16 on.
      lacks_estimator: whether it configures or trains an estimator and names none.
      problem: why the file cannot be read or parsed; "" where it can.
    """

    changes: bool = False
    names_api: bool = False
    ties: bool = False
    speaks_tf1: bool = False
    has_other_in_2: bool = False
    needs_tf_keras: bool = False
    lacks_estimator: bool = False
    problem: str = ""

    @property
    def matters(self) -> bool:
        """Whether a program that imports the file has to do with it."""
        return self.changes or bool(self.problem)


class Tree:
    """The files around those of one program.

    Args:
      given: the files that the user gave, absolute, and their names on the command line.
      users: files with estimators that the user did not give, by the files that they import.
      texts: other texts of files than those on the disk, by their paths, absolute.

    Attributes:
      roots: the directories from which each file is imported.
    """

    def __init__(
        self,
        given: Mapping[str, str] | None = None,
        users: Mapping[str, Sequence[str]] | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.given = dict(given or {})
        self.users = dict(users or {})
        self.roots: dict[str, set[str]] = {}
        self._modules: dict[str, Module] = {}
        self._sources: dict[str, SourceText] = {}
        self._added: set[str] = set()
        self._of_1: set[str] = set()  # the files whose names are taken for TensorFlow 1's
        self._known: dict[str, Facts] = {}
        self._imported: dict[str, Imports] = {}
        self._closures: dict[tuple[str, ast.Module], tuple[Link, ...]] = {}
        self._importers: dict[tuple[str, str], tuple[str, ...]] = {}
        for path, text in (texts or {}).items():
            self.add(path, text)

    def add(self, path: str, text: str) -> None:
        """Takes in another text of a file, absolute, than the one on the disk."""
        self._sources[path] = replace(self.source(path), text=text)
        self._added.add(path)
        self._modules.pop(path, None)
        for known in (self._known, self._imported, self._closures, self._importers):
            known.clear()

    def source(self, path: str) -> SourceText:
        """The text of a file, absolute; of a notebook the Python of its cells.

        Raises:
          Unreadable: if it cannot be read.
        """
        if path not in self._sources:
            self._sources[path] = _named_source(path, self.name(path))
        return self._sources[path]

    def module(self, path: str) -> Module:
        """The module of a file.

        Args:
          path: the file, absolute.

        Raises:
          Unreadable: if it cannot be read or parsed.
        """
        if path not in self._modules:
            self._modules[path] = module_of(self.source(path))
        return self._modules[path]

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
        if dotted.split(".")[0] in installed(module.path):
            return None
        own = os.path.abspath(module.path)
        return _found(os.path.dirname(own), dotted, self._imports(own).searched)

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

    def closure(self, module: Module) -> list[Link]:
        """Every import that runs when a file is imported, each file once, those of the file itself first."""
        start = os.path.abspath(module.path)
        if module.path == "<stdin>":  # a text from standard input has no neighbours
            return []
        if (start, module.tree) not in self._closures:
            self._closures[start, module.tree] = tuple(self._led_to(start, module.tree))
        return [*self._closures[start, module.tree]]

    def _led_to(self, start: str, tree: ast.Module) -> Iterable[Link]:
        links: dict[str, Link] = {}
        waiting = deque([(start, _from_files(start, _imports(tree)))])
        while waiting:
            importer, imports = waiting.popleft()
            for link in _links(importer, imports, self._imports(importer).searched):
                path = link.target.path
                self.roots.setdefault(path, set()).add(link.target.root)
                if path != start and path not in links:
                    links[path] = link
                    waiting.append((path, self._imports(path).names))
        return links.values()

    def importers(self, module: Module, name: str = "") -> list[str]:
        """The files, absolute, of the repository or else of the package that import a file and hold a name.

        Args:
          module: the file.
          name: a word that the importers' text must hold; "" for any. Those without it are not parsed.
        """
        return self.importers_of(os.path.abspath(module.path), name)

    def importers_of(self, own: str, name: str = "") -> list[str]:
        """As ``importers``, of a file by its path, absolute."""
        if (own, name) not in self._importers:
            self._importers[own, name] = tuple(self._found_importers(own, name))
        return [*self._importers[own, name]]

    def _found_importers(self, own: str, name: str) -> Iterator[str]:
        words = _importing(importing_root(os.path.dirname(own)))
        stem = os.path.basename(own).removesuffix(".py")
        is_package = stem == "__init__"
        word = os.path.basename(os.path.dirname(own)) if is_package else stem
        holding = (path for path in words.get(word, ()) if path != own and self._holds(path, name))
        # A package runs for what is below it, too; a module is imported by its own name alone.
        yield from (path for path in holding if own in self._targets(path, "" if is_package else stem))

    def near(self, module: Module) -> list[str]:
        """The files, absolute, that name the Estimator API beside a file or below it, else those beside its directory.

        An import that is made as the program runs, or of a package by another name than its folder's, leads there.
        """
        own = os.path.abspath(module.path)
        beside = os.path.dirname(own)
        above = os.path.dirname(beside)
        is_of_project = above.startswith(top(own) or "\0") or os.path.exists(os.path.join(above, "__init__.py"))
        for directory in (beside, above) if is_of_project else (beside,):
            found = [path for path in _naming_estimators(directory) if path != own]
            if found:
                return found
        return []

    def needs_tf_keras(self, *modules: Module) -> bool:
        """Whether some file of a program, one that does not change included, needs ``tf_keras`` from 2.16 on."""
        links = [link for module in modules for link in self.closure(module)]
        below = any(self._facts(link.target.path).needs_tf_keras for link in links)
        return below or any(map(needs_tf_keras_in_graphs, modules))

    def imports_package(self, name: str, *modules: Module) -> bool:
        """Whether some file of a program, one that does not change included, imports a package."""
        own = [dotted for module in modules for dotted, _ in _imports(module.tree)]
        links = [link for module in modules for link in self.closure(module)]
        below = [dotted for link in links for dotted, _ in self._imports(link.target.path).names]
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
        """Whether neither a file nor what it imports needs TensorFlow 1, or Estimators."""
        if path.endswith(NOTEBOOK) or self._facts(path).matters:
            return False
        return not any(self._facts(link.target.path).speaks_tf1 for link in self.closure(self.module(path)))

    def _targets(self, path: str, word: str = "") -> set[str]:
        """The files that a file imports, by a name with ``word`` in it; "" for any name."""
        imports = self._imports(path)
        names = tuple(one for one in imports.names if not word or word in one[0].split("."))
        return {link.target.path for link in _links(path, names, imports.searched)}

    def _facts(self, path: str) -> Facts:
        if path not in self._known:
            self._known[path] = _facts_of(self._sources[path]) if path in self._added else facts(path)
        return self._known[path]

    def _imports(self, path: str) -> Imports:
        if path not in self._imported:
            self._imported[path] = _imports_of(self._sources[path]) if path in self._added else _imports_at(path)
        return self._imported[path]

    def words(self, path: str) -> frozenset[str]:
        """The words of a file's text, absolute.

        Raises:
          Unreadable: if it cannot be read.
        """
        if path in self._added:
            return frozenset(_WORD.findall(self._sources[path].text))
        try:
            return _words(path, _stamp(path))
        except OSError as error:
            raise Unreadable(cannot_read(path, error)) from error

    def _holds(self, path: str, name: str) -> bool:
        try:
            return not name or name in self.words(path)
        except Unreadable:  # it cannot run either
            return False

    def changing(self, *modules: Module) -> list[Link]:
        """The files of the closures in which a migration changes names, or which cannot be read.

        A program runs on one TensorFlow: where one of these files speaks TensorFlow 1, all are taken for such.
        """
        links = {link.target.path: link for module in modules for link in self.closure(module)}
        known = {path: self._facts(path) for path in links}
        if not any(one.speaks_tf1 for one in modules) and not any(one.speaks_tf1 for one in known.values()):
            return [link for path, link in links.items() if known[path].matters]
        for module in modules:
            module.take_for_tf1()
        for path, one in known.items():
            if one.has_other_in_2 and not one.problem:
                self.module(path).take_for_tf1()
                self._of_1.add(path)
        return [link for path, link in links.items() if known[path].matters or known[path].has_other_in_2]


def facts(path: str) -> Facts:
    """The facts of a file, absolute; those of an unchanged file are read once."""
    try:
        return _facts(path, _stamp(path))
    except OSError:
        return Facts(problem="cannot be read")


def _stamp(path: str) -> tuple[int, int]:
    """What an unchanged file keeps: when it was changed, in nanoseconds, and its size, in bytes."""
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=_KNOWN)
def _facts(path: str, stamp: tuple[int, int]) -> Facts:
    try:
        return _facts_of(_text_of(path, stamp))
    except Unreadable as problem:
        return Facts(problem=problem.finding.message)


def _facts_of(source: SourceText) -> Facts:
    if "tensorflow" not in source.text and "import *" not in source.text:
        parse(source)
        return Facts()
    module = module_of(source)
    changes = bool(module.estimator or module.modes or module.tf1_only)
    return Facts(
        changes,
        module.names_api,
        module.is_tied,
        module.speaks_tf1,
        bool(module.other_in_2),
        needs_tf_keras_in_graphs(module),
        module.lacks_estimator,
    )


def _imports_at(path: str) -> Imports:
    try:
        return _imports_in(path, _stamp(path))
    except OSError:
        return Imports()


@lru_cache(maxsize=_KNOWN)
def _imports_in(path: str, stamp: tuple[int, int]) -> Imports:
    try:
        return _imports_of(_text_of(path, stamp))
    except Unreadable:  # it cannot run either
        return Imports()


def _imports_of(source: SourceText) -> Imports:
    tree = parse(source)
    searched = tuple(_searched(tree)) if "sys.path" in source.text else ()
    return Imports(_from_files(source.path, _imports(tree)), searched)


_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t][^\n]*?(?:\([^)]*\)|$)", re.MULTILINE)
_IMPORT_IN_JSON = re.compile(rb'(?:"|\\n)(?: |\\t)*(?:from|import)[ \t](?:[^\n(]*\([^)]*\)|[^\n]*)')
_WORD = re.compile(r"\w+")
_WORD_IN_BYTES = re.compile(rb"\w+")


@lru_cache(maxsize=64)
def _importing(root: str) -> dict[str, list[str]]:
    """By each word in an import statement below a directory, the files that have it; walked once in a run."""
    words: dict[str, list[str]] = {}
    for path in walk([root]):
        with suppress(Unreadable, OSError):
            if isinstance(path, str):
                for word in _imported_words(os.path.abspath(path), _stamp(path)):
                    words.setdefault(word, []).append(os.path.abspath(path))
    return words


@lru_cache(maxsize=_KNOWN)
def _imported_words(path: str, stamp: tuple[int, int]) -> frozenset[str]:
    """The words in the import statements of a file, and of a notebook what else looks so.

    Outside a git repository each of its directories asks for them.
    """
    statement = _IMPORT_IN_JSON if path.endswith(NOTEBOOK) else _IMPORT
    found = b" ".join(statement.findall(read(path))).replace(b"\\n", b" ")
    return frozenset(word.decode(errors="replace") for word in _WORD_IN_BYTES.findall(found))


@lru_cache(maxsize=_KNOWN)
def _words(path: str, stamp: tuple[int, int]) -> frozenset[str]:
    return frozenset(_WORD.findall(_text_of(path, stamp).text))


@lru_cache(maxsize=64)
def _naming_estimators(directory: str) -> tuple[str, ...]:
    """The files below a directory that name the Estimator API."""
    found = []
    for path in walk([directory]):
        with suppress(Unreadable):
            if isinstance(path, str) and not path.endswith(NOTEBOOK) and b"stimator" in read(path):
                found.append(os.path.abspath(path))
    return tuple(path for path in found if facts(path).names_api)


def _named_source(path: str, name: str) -> SourceText:
    """The text of a file, absolute, by the name that the user gave it, which is also what a reason calls it."""
    try:
        return replace(_text_of(path, _stamp(path)), path=name)
    except (OSError, Unreadable):
        return _source(name, read(path))


@lru_cache(maxsize=_KNOWN)
def _text_of(path: str, stamp: tuple[int, int]) -> SourceText:
    return _source(path, read(path))


def _source(path: str, data: bytes) -> SourceText:
    if not path.endswith(NOTEBOOK):
        return SourceText.decode(path, data)
    from migrate.files.cells import joined

    return joined(path, data)


_INSTALLS = re.compile(rb"\bpip3?[ ]+install[ ]+([^\"\\\\\n]*)")

_VARIANT = re.compile(r"_(?:cpu|gpu|python|tensorflow|tf)$")


@lru_cache(maxsize=_KNOWN)
def installed(path: str) -> frozenset[str]:
    """The packages that a notebook installs by ``pip`` and imports from there: ``bert`` where it is bert-tensorflow.

    Nothing is known of what it installs from a directory or an address: that may be the tree itself.
    """
    if not path.endswith(NOTEBOOK) or not os.path.exists(path):
        return frozenset()
    with suppress(Unreadable):
        given = b" ".join(_INSTALLS.findall(read(path))).decode(errors="replace").split()
        names = [re.split(r"[<>=!~\[;]", word)[0].lower() for word in given if not word.startswith("-")]
        return frozenset(_VARIANT.sub("", name.replace("-", "_")) for name in names if re.fullmatch(r"[\w-]+", name))
    return frozenset()


def _from_files(path: str, imports: Iterator[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """The imports of a file, without those of packages that it installs."""
    return tuple((dotted, line) for dotted, line in imports if dotted.split(".")[0] not in installed(path))


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    waiting: list[ast.AST] = [tree]  # of statements, handlers and cases: no expression imports
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                dot = "" if base.endswith(".") or not base else "."
                yield (base if alias.name == "*" else f"{base}{dot}{alias.name}"), node.lineno
        else:
            waiting += reversed([inner for name in _BLOCKS for inner in getattr(node, name, ())])


def _searched(tree: ast.Module) -> Iterator[str]:
    """The directories that a file puts on ``sys.path``: the literal parts of each, whatever they are joined to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_path(node.func.value):
            given: Sequence[ast.expr] = node.args
        elif isinstance(node, ast.AugAssign) and _is_path(node.target):
            given = [node.value]
        else:
            continue
        constants = [part.value for one in given for part in ast.walk(one) if isinstance(part, ast.Constant)]
        parts = [part for part in constants if isinstance(part, str) and part and not os.path.isabs(part)]
        if parts:
            yield os.path.join(*parts)


def _is_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "path" and ast.unparse(node.value) == "sys"


@lru_cache(maxsize=_KNOWN)
def _links(importer: str, imports: tuple[tuple[str, int], ...], searched: tuple[str, ...]) -> tuple[Link, ...]:
    """The first link from a file to each other one, by each directory that this is imported from."""
    found: dict[tuple[str, str], Link] = {}
    for link in _all_links(importer, imports, searched):
        found.setdefault((link.target.path, link.target.root), link)
    return tuple(found.values())


def _all_links(importer: str, imports: tuple[tuple[str, int], ...], searched: tuple[str, ...]) -> Iterator[Link]:
    for dotted, line in imports:
        found = _found(os.path.dirname(importer), dotted, searched)
        if found is None:
            continue
        yield Link(importer, found, line)
        # Importing a module runs the packages above it.
        directory = os.path.dirname(found.path)
        while len(directory) > len(found.root):
            package = os.path.join(directory, "__init__.py")
            if package != found.path and os.path.exists(package) and os.path.getsize(package):
                yield Link(importer, Target(package, found.root, ()), line)
            directory = os.path.dirname(directory)


@lru_cache(maxsize=20 * _KNOWN)
def _found(directory: str, dotted: str, searched: tuple[str, ...]) -> Target | None:
    """Where an import leads from a directory: where Python looks by itself, else where the file has it look."""
    found = target_from(directory, dotted)
    if found is not None or dotted.startswith("."):
        return found
    return next((one for path in searched if (one := target_below(directory, path, dotted)) is not None), None)


def forget() -> None:
    """Forgets where imports lead: a run looks once, and the next one may find other files."""
    for known in (_importing, _naming_estimators, _links, _found):
        known.cache_clear()
