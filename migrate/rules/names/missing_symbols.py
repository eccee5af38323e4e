"""Finds the names and imports that a file will have after the rewrite and that a TensorFlow version lacks."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.guards import resolves_to_v1, root_import
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import imported_paths
from migrate.analysis.source.symbols import Symbol, symbol
from migrate.files.run_cache import tree_cache
from migrate.rewrite.changed_file import ChangedFile
from migrate.tensorflow.known_names import KERAS_INSIDE, lines_without

_V1 = "tensorflow.compat.v1."


_NamedNode = tuple[ast.Import | ast.ImportFrom | ast.expr, str, Symbol | None]


def iter_missing(
    module: Module, file: ChangedFile | None, lines: tuple[str, ...]
) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yields names and imports that a version in ``lines`` lacks, after the changes of ``file``; None for none."""
    if file is None:
        yield from _missing_in_unchanged(module.names, lines)
        return
    is_tf1 = module.is_tf1
    for node, name, found in _tensorflow_names(module.names):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (name for _, name in imported_names(node) if not _belongs_to_other_rule(name))
            name = next((name for name in names if lines_without(name, lines)), "")
            if name:
                yield node, name
        elif found is not None:
            name = _tensorflow_name(module.names, is_tf1, node, name, found, file)
            if name and lines_without(name, lines):
                yield node, name


@tree_cache
def _missing_in_unchanged(names: Names, lines: tuple[str, ...]) -> list[tuple[ast.expr | ast.stmt, str]]:
    """Like ``iter_missing``, for a file that does not change; cached for all programs that import it."""
    found: list[tuple[ast.expr | ast.stmt, str]] = []
    for node, name, _ in _tensorflow_names(names):
        if isinstance(node, ast.expr) and resolves_to_v1(names, node):
            continue
        imported = (
            (one for _, one in imported_names(node)) if isinstance(node, ast.Import | ast.ImportFrom) else (name,)
        )
        missing = next((one for one in imported if lines_without(one, lines)), "")
        found += [(node, missing)] if missing else []
    return found


@tree_cache
def inner_keras_uses(names: Names) -> list[tuple[ast.expr, str, Symbol]]:
    """Returns the uses of TensorFlow's private copy of Keras in a file."""
    named = (
        (node, name, found) for node, name, found in _tensorflow_names(names) if isinstance(node, ast.expr) and found
    )
    return [one for one in named if one[1].startswith(f"tensorflow.{KERAS_INSIDE}")]


@tree_cache
def _tensorflow_names(names: Names) -> list[_NamedNode]:
    """Returns the TensorFlow names that a file imports and uses, with their nodes."""
    named = [(node, dotted, symbol(dotted)) for node, dotted in names.package_uses(("tensorflow",))]
    found = [(node, "", None) for node in names.imports if any(imported_names(node))]
    return [*found, *(one for one in named if one[2] is not None)]


def _tensorflow_name(names: Names, is_tf1: bool, node: ast.expr, name: str, found: Symbol, file: ChangedFile) -> str:
    """Returns the TensorFlow name of a node after the rewrite; "" where another rule judges it."""
    if f"{found.tail}.".startswith("estimator.") or found.is_contrib or node in file.renamed:
        return ""
    if found.api != "tf" or not is_tf1:
        return name
    root = root_import(names, node)
    is_plain = isinstance(root, ast.Import) and all(alias.name == "tensorflow" for alias in root.names)
    gets_v1 = is_plain or (isinstance(root, ast.ImportFrom) and found.is_tf1_only)
    if gets_v1:
        return _V1 + name.removeprefix("tensorflow.")
    return "" if found.is_tf1_only else name


def _belongs_to_other_rule(name: str) -> bool:
    """Whether other rules judge a name: one of ``tf.estimator``, contrib or TensorFlow 1."""
    found = symbol(name)
    return found is not None and (f"{found.tail}.".startswith("estimator.") or found.is_tf1_only)


def has_failing_import(module: Module, node: ast.expr | ast.stmt, lines: tuple[str, ...]) -> bool:
    """Whether the import that binds a name fails, so that all uses of it must be replaced."""
    root = root_import(module.names, node) if isinstance(node, ast.expr) else None
    return root is not None and any(lines_without(path, lines) for _, path in imported_names(root))


def imported_names(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[ast.alias, str]]:
    """Yields the names that an import takes from TensorFlow, each with its dotted path."""
    yield from (one for one in imported_paths(node) if one[1].startswith("tensorflow"))
