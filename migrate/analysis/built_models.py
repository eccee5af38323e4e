"""Whether a Keras model knows its shapes before ``fit``."""

import ast
from collections.abc import Set

from migrate.analysis.module import Module
from migrate.analysis.symbols import symbol_of

_SHAPES = {"input_shape", "batch_input_shape", "input_dim", "batch_shape"}
_NEEDS_NO_SHAPE = {"compile", "fit", "save", "save_weights", "optimizer"}


def is_unbuilt(module: Module, model: ast.expr, gone: Set[ast.AST] = frozenset()) -> bool:
    """Whether a model is a ``Sequential`` of layers none of which tells the shape, and nothing builds it.

    Args:
      module: the file.
      model: the variable that ``fit`` is called on, at that place.
      gone: code that a rewrite takes out, which builds nothing any more.
    """
    names = module.names
    made = names.value(model)
    found = symbol_of(names, made.func) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or found is None or not isinstance(model, ast.Name):
        return False
    layers = made.args[0] if made.args else None
    if found.tail not in ("keras.Sequential", "keras.models.Sequential"):
        return False
    if not isinstance(layers, ast.List) or not layers.elts:
        return False
    first = layers.elts[0]
    kind = symbol_of(names, first.func) if isinstance(first, ast.Call) else None
    if not isinstance(first, ast.Call) or kind is None or not kind.tail.startswith("keras.layers."):
        return False
    if kind.tail.rpartition(".")[2] in ("Input", "InputLayer") or any(k.arg in _SHAPES for k in first.keywords):
        return False
    parents = [names.parent(use) for use in names.reads_of(model) if use.lineno < model.lineno and use not in gone]
    return all(isinstance(parent, ast.Attribute) and parent.attr in _NEEDS_NO_SHAPE for parent in parents)
