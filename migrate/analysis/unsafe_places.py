"""The code around a site: where a rewrite of it would not run, or would miss it."""

import ast

from migrate.analysis.module import Module
from migrate.analysis.symbols import symbol_of

_GRAPHS = {"Graph", "InteractiveSession", "Session"}
_ENTERED = {"as_default", "scope", "Graph", "InteractiveSession", "Session"}


def why_not_here(module: Module, call: ast.Call, others: set[ast.Call]) -> str | None:
    """The reason why a call of an estimator, or of its constructor, cannot be rewritten where it stands; else None.

    Args:
      module: the file.
      call: the call.
      others: all calls of the file that may be rewritten.
    """
    inside = set[ast.AST]()
    for node in module.names.ancestors(call):
        if isinstance(node, ast.JoinedStr):
            return "the call is inside an f-string, which cannot hold its rewrite"
        if node in others:
            return "the call is part of a larger expression that is rewritten: assign the estimator to a name first"
        if isinstance(node, ast.With | ast.AsyncWith):
            entered = next((item for item in node.items if item not in inside and _is_graph(module, item)), None)
            if entered is not None:
                return f"the call is under `with {ast.unparse(entered)}`, where Keras would not train the same"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return None  # what is around a function is not around its calls
        inside.add(node)
    return None


def _is_graph(module: Module, item: ast.withitem) -> bool:
    """Whether a ``with`` enters a graph, a session or a distribution strategy."""
    context = item.context_expr
    if not isinstance(context, ast.Call):
        return False
    found = symbol_of(module.names, context.func)
    if found is not None:
        return found.tail in _GRAPHS
    return isinstance(context.func, ast.Attribute) and context.func.attr in _ENTERED
