"""Replaces names of TensorFlow 1 one by one in a file whose ``tf`` stays TensorFlow 2."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.guards import root_import
from migrate.analysis.source.nodes import root_of
from migrate.analysis.source.symbols import Symbol
from migrate.rules.rule import EstimatorFile, Verdict, exact, manual


def write_v1_names(file: EstimatorFile) -> Iterator[Verdict]:
    """Replaces names that only TensorFlow 1 has by those of ``tf.compat.v1``, and reports names with two meanings."""
    module = file.module
    for node, found in module.tf1_uses:
        if node in file.renamed or found.is_contrib or found.is_private or found.tail.startswith("estimator."):
            continue
        root = root_of(node)
        if isinstance(root, ast.Name) and module.names.qualified(root) == "tensorflow":
            yield _rewrite_name(file, node, root, found)
        elif isinstance(root_import(module.names, node), ast.ImportFrom):
            continue  # the import fails: another rule replaces its uses
        elif module.names.only_value(root) is None:  # otherwise the variable's value is replaced
            help = "Write tf.compat.v1 before it, then migrate again."
            yield manual(node, f"`{found.qualified}` exists only in TensorFlow 1", help, module)
    for node, found in module.unclear_uses:
        message = f"`{found.qualified}` has different meanings in TensorFlow 1 and 2, and this program uses both"
        help = f"Write tf.compat.v1.{found.tail} or tf.compat.v2.{found.tail}, then migrate again."
        yield manual(node, message, help, module)


def _rewrite_name(file: EstimatorFile, node: ast.expr, root: ast.Name, symbol: Symbol) -> Verdict:
    names = file.module.names
    seen = names.scope_of(root).lookup(root.id)
    is_at_top = seen is not None and seen[0] is names.top
    file.rename(node, f"{file.v1 if is_at_top else f'{root.id}.compat.v1'}.{symbol.tail}")
    return exact(node, f"becomes `{file.renamed[node]}`; `{root.id}` stays TensorFlow 2", file.module)
