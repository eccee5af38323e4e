"""FT153 · a dataset that is made outside of the input function

TensorFlow 1 copies a dataset into the graph in which ``make_one_shot_iterator()`` reads it, and warns. TensorFlow 2
stops there, with an Estimator of its own too: ``The graph of the iterator is different from the graph the dataset was
created in``. An Estimator makes a graph for each training, so the migrated program would not start where its input
function only reads a dataset that was made before.

Instead: nothing yet. Make the dataset within the function that the Estimator calls.

Fidelity: manual.

See: tf.compat.v1.data.Dataset.make_one_shot_iterator.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.source.module import Module
from migrate.analysis.source.scopes import FunctionNode
from migrate.analysis.values.datasets import is_dataset
from migrate.analysis.values.values import Values
from migrate.rules.rule import ObjectFile, Verdict, file_rule, line, manual


@file_rule(
    "FT153",
    "manual",
    line(
        "def once(ds): return lambda: ds.make_one_shot_iterator().get_next()\n"
        "    train = tf1.data.Dataset.range(8).batch(2); print(once(train))",
        None,
    ),
)
def dataset_made_outside(file: ObjectFile) -> Iterator[Verdict]:
    module, values = file.module, Values(file.tree)
    for node in module.names.attributes.get("make_one_shot_iterator", ()):
        held = _holder(node.value)
        if held is not None and _is_from_outside(module, held) and is_dataset(values, module, held):
            message = (
                f"`{held.id}` is made outside of the function that reads it, which TensorFlow 2 refuses in a graph"
            )
            yield manual(node, message, "Make the dataset within the function that the Estimator calls.", module)


def _holder(node: ast.expr) -> ast.Name | None:
    """The variable whose methods give an expression; None where a function gives it."""
    while isinstance(node, ast.Attribute) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node if isinstance(node, ast.Name) else None


def _is_from_outside(module: Module, held: ast.Name) -> bool:
    """Whether a function reads a variable of what is around it, which does not call that function itself."""
    names = module.names
    scope = names.scope_of(held)
    found = scope.lookup(held.id)
    inner = next((one for one in names.ancestors(held) if isinstance(one, FunctionNode)), None)
    if found is None or inner is None or found[0] is scope or inner in names.ancestors(found[1][0].node):
        return False
    if isinstance(found[0].node, ast.Module):
        return True
    if isinstance(inner, ast.Lambda):
        return isinstance(names.parent(inner), ast.Return | ast.Call | ast.keyword)
    called = (call.func for call in names.calls_in(found[0].node) if isinstance(call.func, ast.Name))
    return not any(name.id == inner.name for name in called)
