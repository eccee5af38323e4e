"""FT196 · apply of a Keras layer

A layer of ``tf.keras`` has ``apply`` in TensorFlow 1, which calls it; those of TensorFlow 2 have not.

Instead: the layer is called.

Fidelity: exact.

See: tf.keras.layers.Layer.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft, OtherFile
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, rule


@rule(
    "FT196",
    "exact",
    Example("x = tf.keras.layers.Dense(3).apply(x)", "x = tf.keras.layers.Dense(3)(x)", "head", kind="custom"),
    Example("d = tf.keras.layers.Dense(3); x = d.apply(x)", "x = d(x)", "head", kind="custom"),
    kinds=CUSTOM,
)
def layer_apply(program: Program, draft: Draft) -> Iterator[Verdict]:
    for file in draft.changed_files:
        yield from applied_in(file)


def applied_in(file: Draft | OtherFile) -> Iterator[Verdict]:
    """Calls each layer of Keras that a file applies."""
    module = file.module
    for node, parent in module.names.parents.items():
        if not isinstance(node, ast.Attribute) or node.attr != "apply" or not _is_layer(module, node.value):
            continue
        if isinstance(parent, ast.Call) and parent.func is node:
            text = module.source.text(node.value, file.renamed)
            file.edits.append(ReplaceExpression(module.span(node), text))
            yield exact(node, "becomes a call: layers of TensorFlow 2 have no apply", module)


def _is_layer(module: Module, node: ast.expr) -> bool:
    """Whether an expression is seen to make a layer of Keras, or to stand for one."""
    values = [node]
    if isinstance(node, ast.Name):
        value = module.names.only_value(node)
        values = [] if value is None else [value]
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        values = _stored(module, node.value.id, node.attr)
    found = [symbol_of(module.names, value.func) if isinstance(value, ast.Call) else None for value in values]
    return bool(found) and all(one is not None and one.tail.startswith("keras.layers.") for one in found)


def _stored(module: Module, name: str, attribute: str) -> list[ast.expr]:
    """What a file assigns to ``self.layer``; nothing where an assignment does not tell."""
    stores = [store for store in module.names.stores if isinstance(store, ast.Attribute) and store.attr == attribute]
    statements = [
        module.names.parent(store) for store in stores if isinstance(store.value, ast.Name) and store.value.id == name
    ]
    values = [one.value for one in statements if isinstance(one, ast.Assign) and len(one.targets) == 1]
    return values if len(values) == len(statements) else []
