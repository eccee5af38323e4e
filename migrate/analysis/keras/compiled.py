"""Keras models that are compiled with an optimizer of TensorFlow 1, which Keras itself does not take."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.analysis.source.module import Module


@dataclass(frozen=True)
class CompileOptimizer:
    """An optimizer of ``tf.compat.v1.train`` that ``compile`` gets.

    Attributes:
      is_elsewhere: whether the file reads it for something else too.
    """

    given: ast.expr
    made: ast.Call
    name: str
    is_elsewhere: bool


def compiled_with_tensorflow_1(module: Module) -> Iterator[CompileOptimizer]:
    """The optimizers of ``tf.compat.v1.train`` that ``compile`` gets."""
    found = list(_compiled(module))
    given = {one for one, _, _ in found}
    for one, made, name in found:
        yield CompileOptimizer(one, made, name, not given.issuperset(module.names.reads_of(one)))


def _compiled(module: Module) -> Iterator[tuple[ast.expr, ast.Call, str]]:
    makers = {node: tail for tail, nodes in module.uses.items() if _is_optimizer(tail) for node in nodes}
    for call in module.names.nodes(ast.Call) if makers else ():
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "compile"):
            continue
        for given in [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "optimizer")]:
            made = module.names.value(given)
            if isinstance(made, ast.Call) and made.func in makers:
                yield given, made, makers[made.func].rpartition(".")[2]


def _is_optimizer(tail: str) -> bool:
    return tail.startswith("train.") and tail.endswith("Optimizer")
