"""Keras models that are compiled with an optimizer of TensorFlow 1, which Keras itself does not take."""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module


def compiled_with_tensorflow_1(module: Module) -> Iterator[tuple[ast.expr, str]]:
    """The optimizers of ``tf.compat.v1.train`` that ``compile`` gets, with their names.

    Args:
      module: a file.
    """
    makers = {node: tail for tail, nodes in module.uses.items() if _is_optimizer(tail) for node in nodes}
    for call in module.names.nodes(ast.Call) if makers else ():
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "compile"):
            continue
        for given in [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "optimizer")]:
            made = module.names.value(given)
            if isinstance(made, ast.Call) and made.func in makers:
                yield given, makers[made.func]


def _is_optimizer(tail: str) -> bool:
    return tail.startswith("train.") and tail.endswith("Optimizer")
