"""FT196 · apply of a Keras layer

A layer of ``tf.keras`` has ``apply`` in TensorFlow 1, which calls it; those of TensorFlow 2 have not.

Instead: the layer is called.

Fidelity: exact.

See: tf.keras.layers.Layer.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.names import FARTHEST
from migrate.analysis.symbols import symbol_of
from migrate.analysis.values.values import End, Values
from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import ObjectFile, Verdict, exact, file_rule, line

_LAYERS = ("keras.layers.", "keras.models.", "keras.Model", "keras.Sequential")


@file_rule(
    "FT196",
    "exact",
    line("x = tf.keras.layers.Dense(3).apply(x)", "x = tf.keras.layers.Dense(3)(x)"),
    line("d = tf.keras.layers.Dense(3); x = d.apply(x)", "x = d(x)"),
)
def layer_apply(file: ObjectFile) -> Iterator[Verdict]:
    module, values = file.module, Values(file.tree)
    for node in module.names.attributes.get("apply", ()):
        parent = module.names.parent(node)
        if isinstance(parent, ast.Call) and parent.func is node and _is_layer(values, module, node.value):
            text = module.source.text(node.value, file.renamed)
            file.edits.append(ReplaceExpression(module.span(node), text))
            yield exact(node, "becomes a call: layers of TensorFlow 2 have no apply", module)


def _is_layer(values: Values, module: Module, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is seen to make a layer of Keras, or to stand for one."""
    stored = list[ast.expr]()
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        stored = _stored(module, node.value.id, node.attr)
    made = [End(module, value) for value in stored] or values.ends(module, node)
    return all(
        isinstance(one.node, ast.Call) and _makes_layers(values, one.module, one.node.func, depth) for one in made
    )


def _makes_layers(values: Values, module: Module, node: ast.expr, depth: int) -> bool:
    """Whether what is called is a class of Keras' layers, one derived from it, or a function that gives layers."""
    found = symbol_of(module.names, node)
    if found is not None:
        return found.tail.startswith(_LAYERS)
    return depth < FARTHEST and all(_end_makes_layers(values, end, depth + 1) for end in values.ends(module, node))


def _end_makes_layers(values: Values, end: End, depth: int) -> bool:
    node, names = end.node, end.module.names
    if isinstance(node, ast.ClassDef):
        has_own = any(isinstance(one, ast.FunctionDef) and one.name == "apply" for one in node.body)
        return not has_own and any(_makes_layers(values, end.module, base, depth) for base in node.bases)
    if isinstance(node, ast.FunctionDef):
        given = [one.value for one in names.returns(node)]
        return bool(given) and all(one is not None and _is_layer(values, end.module, one, depth) for one in given)
    if isinstance(node, ast.Call):
        is_partial = bool(node.args) and names.qualified(node.func) == "functools.partial"
        return is_partial and _makes_layers(values, end.module, node.args[0], depth)
    found = symbol_of(names, node) if isinstance(node, ast.Attribute) else None
    return found is not None and found.tail.startswith(_LAYERS)


def _stored(module: Module, name: str, attribute: str) -> list[ast.expr]:
    """What a file assigns to ``self.layer``; nothing where an assignment does not tell."""
    stores = [store for store in module.names.stores if isinstance(store, ast.Attribute) and store.attr == attribute]
    statements = [
        module.names.parent(store) for store in stores if isinstance(store.value, ast.Name) and store.value.id == name
    ]
    values = [one.value for one in statements if isinstance(one, ast.Assign) and len(one.targets) == 1]
    return values if len(values) == len(statements) else []
