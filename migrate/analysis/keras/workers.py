"""The models of a module that are created under a strategy for several workers."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.module import Module

EXPERIMENTAL = "distribute.experimental.MultiWorkerMirroredStrategy"
CONTRIB = "contrib.distribute.CollectiveAllReduceStrategy"
STRATEGIES = ("distribute.MultiWorkerMirroredStrategy", EXPERIMENTAL, CONTRIB)


def worker_fits(module: Module) -> Iterator[tuple[ast.Call, bool]]:
    """Yields the calls ``model.fit(…)`` of models that are created in the scope of such a strategy.

    Each comes with whether the strategy is certain: the program may choose among several.
    """
    strategies = set(module.calls_of(*STRATEGIES))
    if not strategies:
        return
    for node in module.names.nodes(ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "fit":
            choices = list(_strategies_of(module, node.func.value))
            if any(choice in strategies for choice in choices):
                yield node, all(choice in strategies for choice in choices)


def _strategies_of(module: Module, model: ast.expr) -> Iterator[ast.expr | None]:
    """Yields the values that ``strategy`` may have in the ``with strategy.scope():`` that creates a model."""
    for binding in module.names.bindings(model):
        for above in module.names.ancestors(binding.node):
            if isinstance(above, ast.With):
                for item in above.items:
                    yield from _strategies_of_scope(module, item.context_expr)


def _strategies_of_scope(module: Module, context: ast.expr) -> Iterator[ast.expr | None]:
    """Yields the values that ``strategy`` may have in ``strategy.scope()``."""
    if not (isinstance(context, ast.Call) and isinstance(context.func, ast.Attribute)):
        return
    strategy = context.func.value
    if context.func.attr != "scope":
        return
    if not isinstance(strategy, ast.Name):
        yield strategy
        return
    yield from (binding.value for binding in module.names.bindings(strategy))
