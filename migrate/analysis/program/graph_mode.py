"""Whether the code of a program builds graphs for sessions, and where a file says so."""

import ast
from collections.abc import Iterable

from migrate.analysis.program.imports_of_tensorflow_1 import given_by_star, imports_of_1
from migrate.analysis.source.module import Module

SESSIONS = {
    "InteractiveSession", "Session", "global_variables_initializer", "placeholder", "train.MonitoredTrainingSession",
    "train.Supervisor",
}  # fmt: skip
GIVES_V1 = {"tensorflow": ".compat.v1", "tensorflow.compat.v1": "", "tensorflow.compat.v2": ".compat.v1"}
"""What follows the name of an import to name TensorFlow 1."""


def has_sessions(module: Module) -> bool:
    """Whether a file names sessions, or what only works beside one."""
    return any(found.tail in SESSIONS for _, found in [*module.v1, *module.tf1_only])


def is_in_graph_mode(modules: Iterable[Module]) -> bool:
    """Whether the code around a program's estimators builds a graph: TensorFlow 1's does, unless it says otherwise."""
    modules = list(modules)
    modes = {found.tail for module in modules for _, found in module.modes}
    return not any(mode.startswith("enable_") for mode in modes) and (bool(modes) or not any(map(_is_eager, modules)))


def _is_eager(module: Module) -> bool:
    """Whether a file imports TensorFlow 2 as such, or reads the values of tensors."""
    imported = (alias.name for node in module.names.nodes(ast.Import) for alias in node.names)
    return "tensorflow.compat.v2" in imported or "numpy" in module.names.attributes


def mode_place(module: Module) -> ast.Call | ast.Import | ast.ImportFrom | None:
    """Returns where to ask for graph mode: at the call that did so, else below an import of TensorFlow 1."""
    for call, found in module.modes:
        is_statement = isinstance(module.names.parent(call), ast.Expr)
        if found.tail.startswith("disable_") and is_statement and isinstance(call.func, ast.Attribute):
            return call
    for statement in module.tree.body:
        if isinstance(statement, ast.Import) and any(
            alias.name in GIVES_V1 and (alias.asname or alias.name == "tensorflow") for alias in statement.names
        ):
            return statement
    importing = (statement for found in imports_of_1(module).values() for statement in found)
    return next((statement for statement in importing if given_by_star(module, statement)), None)
