"""Whether a file runs on Keras 2, as ``tf_keras`` has it beside the newest TensorFlow, or needs it."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module

_VARIABLE = "TF_USE_LEGACY_KERAS"
_ON = ("1", "true", "True")
"""The values that TensorFlow takes for yes."""
_SETTERS = ("os.environ.setdefault", "os.putenv")
_ON_KERAS_2 = ("layers.", "contrib.layers.flatten", "nn.rnn_cell.", "contrib.rnn.", "contrib.seq2seq.")
"""TensorFlow 1's names that are made from Keras 2."""
_IN_GRAPHS = ("keras.layers.", "keras.Model", "keras.Sequential", "keras.models.", "keras.applications.")
"""What of Keras makes variables, in the graph of a model_fn as Keras 2 does."""
NEEDS_TF_KERAS = "its layers need tf_keras and TF_USE_LEGACY_KERAS=1 from 2.16 on"


def is_on_keras_2(module: Module) -> bool:
    """Whether a file imports Keras as ``tf_keras``, or sets ``TF_USE_LEGACY_KERAS`` and never to anything but yes."""
    values = [literal(value) for value in _values(module)] if _VARIABLE in module.text else []
    return module.has_tf_keras or (bool(values) and all(value in _ON for value in values))


def needs_tf_keras(module: Module) -> bool:
    """Whether a file uses what needs ``tf_keras`` and ``TF_USE_LEGACY_KERAS=1`` from TensorFlow 2.16 on."""
    used = [found for _, found in [*module.v1, *module.tf1_only]]
    return any(found.tail.startswith(_ON_KERAS_2) for found in used)


def needs_tf_keras_in_graphs(module: Module) -> bool:
    """Whether a file needs them where a ``model_fn`` calls it: by what makes layers of Keras too."""
    return needs_tf_keras(module) or any(tail.startswith(_IN_GRAPHS) for tail in module.uses)


def _values(module: Module) -> Iterator[ast.expr | None]:
    """What the environment variable is set to; None where that is not seen."""
    names = module.names
    for store in names.stores:
        if isinstance(store, ast.Subscript) and names.qualified(store.value) == "os.environ":
            statement = names.parent(store)
            if literal(store.slice) == _VARIABLE:
                yield statement.value if isinstance(statement, ast.Assign) else None
    for node in names.nodes(ast.Call):
        if names.qualified(node.func) in _SETTERS and node.args and literal(node.args[0]) == _VARIABLE:
            yield node.args[1] if len(node.args) == 2 else None
