"""What programs need in addition to TensorFlow, and the TensorFlow that they need before they are migrated."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from migrate.analysis.program.needs import KERAS_2, OLD_TENSORFLOW, REQUIREMENTS, Use, needs_of, uses_with_needs
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.guards import resolves_to_v1
from migrate.analysis.source.module import Module
from migrate.edits.file_change import FileChange
from migrate.files.run_cache import run_cache
from migrate.files.sources import NOTEBOOK


def needs(paths: Iterable[str], in_graphs: bool, changes: Mapping[str, FileChange], tree: Tree) -> tuple[str, ...]:
    """Returns what to install and which variables to set before a program starts.

    Args:
      paths: its entry points and the files that change with it.
      in_graphs: whether it runs a ``model_fn``.
    """
    own = [*dict.fromkeys(paths)]
    modules = [(path, module) for path in own for module in tree.readable([path])]
    uses = [(path, use) for path, module in modules for use in _remaining_uses(module, changes.get(path))]
    uses += tree.uses_with_needs(*(module for _, module in modules))
    packages = {name for path in own if path in changes for name in _packages_needed(changes[path], changes)}
    packages |= {name for name in REQUIREMENTS if tree.imports_package(name, *(module for _, module in modules))}
    found = needs_of(uses, in_graphs)
    if "tf_slim" in packages and not any(need.startswith((KERAS_2, OLD_TENSORFLOW)) for need in found):
        found.append(f"{KERAS_2}: tf_slim")
    return (*found, *(REQUIREMENTS[name] for name in REQUIREMENTS if name in packages))


def _remaining_uses(module: Module, change: FileChange | None) -> Sequence[Use]:
    """Returns the uses that remain in the new text of a file, with their lines in the old text if it has them."""
    old = uses_with_needs(module)
    if change is None:
        return old
    text = _new_python(change)
    new = uses_with_needs(Module(change.path, text, ast.parse(text)))
    remaining = {use.what for use in new}
    return [use for use in old if use.what in remaining] or new


def _packages_needed(change: FileChange, changes: Mapping[str, FileChange]) -> Iterator[str]:
    """Yields the packages that a changed file and the runtime files that it needs import."""
    yield from _packages_of(_new_python(change))
    for path in change.needs:
        if path in changes:
            yield from _packages_of(changes[path].after)


def _new_python(change: FileChange) -> str:
    """Returns the new text of a file; for a notebook, the Python code of its cells."""
    if not change.path.endswith(NOTEBOOK):
        return change.after
    from migrate.files.cells import join_cells

    return join_cells(change.path, change.after.encode()).text


@run_cache
def _packages_of(text: str) -> frozenset[str]:
    """Returns the packages that a file imports; cached, because many programs share runtime files.

    Most files name none of them, and are not parsed.
    """
    named = any(name in text for name in REQUIREMENTS)
    return frozenset(_imported_packages(ast.walk(ast.parse(text)))) if named else frozenset()


def _imported_packages(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yields the packages that imports name, those by ``importlib.import_module`` included."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            yield from (str(literal(given)).partition(".")[0] for given in node.args[:1])


def first_tensorflow_1_use(modules: Iterable[Module]) -> str:
    """Returns the first use of plain ``tensorflow`` that fails on TensorFlow 2, with its place; "" for none.

    Names that may come from ``tensorflow.compat.v1``, by a test of the version too, do not count.
    """
    for module in modules:
        for node, found in module.tf1_only:
            if found.api == "tf" and not resolves_to_v1(module.names, node):
                return f"{found.qualified.replace('tensorflow.', 'tf.', 1)}, {module.path}:{node.lineno}"
    return ""
