"""Facts about files that concern the programs which import them; each file is read once in a run."""

import ast
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from migrate.analysis.program.needs import Use, uses_with_needs
from migrate.analysis.program.numpy_names import may_need_old_numpy
from migrate.analysis.program.possible_imports import imported_words, possible_imports
from migrate.analysis.source.module import module_of
from migrate.analysis.source.nodes import FIELDS
from migrate.analysis.source.nodes import walk as nodes_of
from migrate.analysis.source.path_searches import name_of
from migrate.files.parse import parse
from migrate.files.prefilter import files_without_site, may_train_imported, should_parse, strip_images
from migrate.files.read import read, unreadable_finding
from migrate.files.run_cache import run_cache, tree_cache
from migrate.files.sources import NOTEBOOK, is_generated
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.files.walk import walk
from migrate.records import replace


class Imports(NamedTuple):
    """The imports of a file, which are known without analysing its names.

    Attributes:
      names: the imported dotted names, with their lines.
      search_path: the directories that it adds to ``sys.path``, relative to an unknown one.
    """

    names: tuple[tuple[str, int], ...] = ()
    search_path: tuple[str, ...] = ()


class Facts(NamedTuple):
    """Facts about a file that concern the programs which import it.

    Attributes:
      changes: ``Module.changes``.
      names_api: whether it uses a name that only the Estimator API has, or chooses eager or graph mode.
      ties: whether migrating it for one program changes it for all programs that import it.
      needs_tf1: whether only TensorFlow 1 can run it.
      has_ambiguous_names: whether it has names with different meanings in TensorFlow 1 and 2.
      uses_with_needs: the uses that need more than the newest TensorFlow and NumPy.
      lacks_estimator: whether it configures or trains an estimator but names none.
      problem: why the file cannot be read or parsed; "" if it can.
      remedy: what to do about the problem; "" if nothing is known.
    """

    changes: bool = False
    names_api: bool = False
    ties: bool = False
    needs_tf1: bool = False
    has_ambiguous_names: bool = False
    uses_with_needs: tuple[Use, ...] = ()
    lacks_estimator: bool = False
    problem: str = ""
    remedy: str = ""

    @property
    def is_relevant(self) -> bool:
        """Whether the file concerns the programs that import it."""
        return self.changes or bool(self.problem)


@run_cache
def facts(path: str) -> Facts:
    """Returns the facts of the file at an absolute path."""
    try:
        return facts_of(_source_at(path))
    except OSError:
        return Facts(problem="cannot be read")
    except Unreadable as problem:
        found = problem.finding
        message = f"has a {found.message}" if found.message.startswith("syntax error") else found.message
        return Facts(problem=message, remedy=found.help or "")


def facts_of(source: SourceText) -> Facts:
    """Returns the facts of a source text; raises Unreadable if it cannot be parsed."""
    if not _may_matter(source):
        imports_of(source)
        return Facts()
    module = module_of(source)
    return Facts(
        module.changes,
        module.names_api,
        module.affects_importers,
        module.needs_tf1,
        bool(module.ambiguous_unless_tf1),
        uses_with_needs(module),
        module.lacks_estimator,
    )


def _may_matter(source: SourceText) -> bool:
    names_tf = any(word in source.text for word in ("tensorflow", "import *", " as tf"))
    return (names_tf or may_need_old_numpy(source.text)) and not is_generated(source.text)


@run_cache
def imports_at(path: str) -> Imports:
    """Returns the imports of the file at an absolute path; none if it cannot be read or parsed."""
    try:
        return imports_of(_source_at(path))
    except (OSError, Unreadable):  # it cannot run either
        return Imports()


@tree_cache
def imports_of(source: SourceText) -> Imports:
    """Returns the imports of a source text; raises Unreadable if it cannot be parsed."""
    tree = parse(source, keeps=_may_matter(source))
    search_path = tuple(_added_directories(tree)) if "sys.path" in source.text else ()
    return Imports(without_pip_packages(source.path, imported_names(tree)), search_path)


_IMPORT_IN_JSON = re.compile(rb'(?:"|\\n)(?: |\\t)*(?:from|import)[ \t](?:[^\n(]*\([^)]*\)|[^\n]*)')
_DEFINITIONS = (re.compile(r"def[\s\\]+(\w+)"), re.compile(r"class[\s\\]+(\w+)"))
"""Two patterns, because a search for one that begins with plain text is faster."""
_WORD_IN_BYTES = re.compile(rb"\w+")


@run_cache
def files_below(directory: str) -> tuple[str, ...]:
    """Returns the absolute paths of the files below a directory, which is walked once in a run."""
    return tuple(os.path.abspath(found) for found in walk([directory]) if isinstance(found, str))


@run_cache
def files_by_imported_word(root: str) -> dict[str, list[str]]:
    """Returns, for each word in an import statement below a directory, the files with such a statement."""
    parts, siteless = dict[str, list[str]](), files_without_site()
    for path in files_below(root):
        with suppress(Unreadable, OSError):
            if path.endswith(NOTEBOOK):
                words = {*_words_in_json(path)}
            else:
                words = imported_words(data := read(path))
                if path not in siteless and not (should_parse(data) or may_train_imported(data)):
                    siteless.add(path)
            for word in words:
                parts.setdefault(word, []).append(path)
    return parts


@run_cache
def possible_imports_at(path: str) -> tuple[tuple[str, ...], bool]:
    """Returns the dotted names that a Python file seems to import, and whether it mentions ``sys.path``."""
    data = read(path)
    return tuple(dict.fromkeys(possible_imports(data))), b"sys.path" in data


def _words_in_json(path: str) -> Iterator[str]:
    """Yields the words in what looks like the import statements of a notebook."""
    data = strip_images(read(path))
    at = data.find(b"import")  # the word is found many times as fast as the beginning of a statement
    while at >= 0:
        found = _IMPORT_IN_JSON.match(data, max(data.rfind(b'"', 0, at), data.rfind(b"\\n", 0, at), 0))
        words = _WORD_IN_BYTES.findall(found[0].replace(b"\\n", b" ")) if found is not None else []
        yield from (word.decode(errors="replace") for word in words)
        at = data.find(b"import", max(at + 1, found.end() if found is not None else 0))


def text_at(path: str) -> str:
    """Returns the text of the file at an absolute path; raises Unreadable if there is none."""
    try:
        return _source_at(path).text
    except OSError as error:
        raise Unreadable(unreadable_finding(path, error)) from error


def contains_word(word: str, text: str) -> bool:
    """Whether a text contains a whole word; many times as fast as a regular expression."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not _is_word_character(text[at - 1 : at]) and not _is_word_character(text[end : end + 1]):
            return True
        at = text.find(word, end)
    return False


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"


def definitions_in(text: str) -> frozenset[str]:
    """Returns the names of the functions and classes that a text seems to define, even inside strings."""
    return frozenset(name for one in _DEFINITIONS for name in one.findall(text))


@run_cache
def definitions_at(path: str) -> frozenset[str]:
    """Returns ``definitions_in`` of the file at an absolute path."""
    return definitions_in(text_at(path))


@run_cache
def calls_within_at(path: str) -> dict[str, set[str]]:
    """Returns ``calls_within_functions`` of the file at an absolute path, without analysing its names."""
    return calls_within_functions(parse(_source_at(path)))


def calls_within_functions(tree: ast.Module) -> dict[str, set[str]]:
    """Returns, by the name of a function, the last parts of the names that functions of this name call."""
    found: dict[str, set[str]] = {}
    for function in statements_of(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            calls = (one for one in nodes_of(function) if isinstance(one, ast.Call))
            found.setdefault(function.name, set()).update(name_of(one.func) for one in calls)
    return found


@run_cache
def files_with_estimators(directory: str) -> tuple[str, ...]:
    """Returns the files below a directory that use the Estimator API."""
    found = []
    for path in files_below(directory):
        with suppress(Unreadable):
            if not path.endswith(NOTEBOOK) and b"stimator" in read(path):
                found.append(path)
    return tuple(path for path in found if facts(path).names_api)


def source_at(path: str, name: str) -> SourceText:
    """Returns the source of the file at an absolute path, under the name that messages to the user show."""
    try:
        return replace(_source_at(path), path=name)
    except (OSError, Unreadable):
        return source_of(name, read(path))


@tree_cache
def _source_at(path: str) -> SourceText:
    return source_of(path, read(path))


def source_of(path: str, data: bytes) -> SourceText:
    """Returns the source in a file's bytes, for a notebook the Python of its cells; raises Unreadable if that fails."""
    if not path.endswith(NOTEBOOK):
        return SourceText.decode(path, data)
    from migrate.files.cells import join_cells

    return join_cells(path, data)


_PIP_INSTALL = re.compile(rb"pip(?<!\wpip)3?[ ]+install[ ]+([^\"\\\\\n]*)")
"""Begins with plain text, which is found many times as fast."""

_VARIANT = re.compile(r"_(?:cpu|gpu|python|tensorflow|tf)$")


@run_cache
def pip_packages(path: str) -> frozenset[str]:
    """Returns the packages that a notebook installs with ``pip``, by import name: ``bert`` for bert-tensorflow.

    Packages from a directory or a URL are left out, because they may be the tree itself.
    """
    if not path.endswith(NOTEBOOK) or not os.path.exists(path):
        return frozenset()
    with suppress(Unreadable):
        data = read(path)
        found = _PIP_INSTALL.findall(strip_images(data)) if b"install" in data else []
        given = b" ".join(found).decode(errors="replace").split()
        names = [re.split(r"[<>=!~\[;]", word)[0].lower() for word in given if not word.startswith("-")]
        return frozenset(_VARIANT.sub("", name.replace("-", "_")) for name in names if re.fullmatch(r"[\w-]+", name))
    return frozenset()


def without_pip_packages(path: str, imports: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Returns the imports of a file, without those of packages that it installs with ``pip``."""
    installed = pip_packages(path)
    return tuple((dotted, line) for dotted, line in imports if dotted.split(".")[0] not in installed)


_BLOCKS = {
    kind: [name for name in ("body", "handlers", "orelse", "finalbody", "cases") if name in kind._fields]
    for kind in FIELDS
}
_SIMPLE = frozenset({ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise, ast.Assert, ast.Pass})
"""The most frequent statements, which contain no others."""


@tree_cache
def imported_names(tree: ast.Module) -> tuple[tuple[str, int], ...]:
    """Returns the dotted names that a tree imports, with their lines."""
    return tuple(_imported_names(tree))


def statements_of(tree: ast.Module) -> Iterator[ast.AST]:
    """Yields the statements, handlers and cases of a tree in order, without the simple statements of ``_SIMPLE``."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        blocks = [getattr(node, name) for name in _BLOCKS[type(node)]]
        waiting += reversed([inner for block in blocks for inner in block if type(inner) not in _SIMPLE])


def _imported_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in statements_of(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                dot = "" if base.endswith(".") or not base else "."
                yield (base if alias.name == "*" else f"{base}{dot}{alias.name}"), node.lineno


def _added_directories(tree: ast.Module) -> Iterator[str]:
    """Yields the directories that a file adds to ``sys.path``: the literal parts of each, joined."""
    for node in nodes_of(tree):
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
    if not isinstance(node, ast.Attribute) or node.attr != "path":
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "sys"
