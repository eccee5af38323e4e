"""Whether a program builds graphs for sessions, and where a file can choose graph mode."""

import ast
from collections.abc import Iterable

from migrate.analysis.source.guards import root_imports
from migrate.analysis.source.module import Module

GRAPH_NAMES = {
    "InteractiveSession", "Session", "feature_column.shared_embedding_columns", "global_variables_initializer",
    "gradients", "placeholder", "sparse_placeholder", "summary.FileWriter", "summary.merge", "summary.merge_all",
    "train.MonitoredTrainingSession", "train.Supervisor", "train.batch", "train.batch_join", "train.export_meta_graph",
    "train.import_meta_graph", "train.range_input_producer", "train.shuffle_batch", "train.shuffle_batch_join",
    "train.slice_input_producer", "train.start_queue_runners", "train.string_input_producer",
}  # fmt: skip
"""Sessions, and names that work only on a session's graph; most of them raise an error in eager mode."""
V1_PATHS = {"tensorflow": ".compat.v1", "tensorflow.compat.v1": "", "tensorflow.compat.v2": ".compat.v1"}
"""The suffix that names TensorFlow 1 after an imported module."""


def works_on_graphs(module: Module) -> bool:
    """Whether a file uses sessions, or names that work only on a session's graph."""
    used = (found.tail for _, found in [*module.v1_uses, *module.tf1_only])
    return bool(test_sessions(module)) or not GRAPH_NAMES.isdisjoint(used)


def test_sessions(module: Module) -> list[ast.Attribute]:
    """Returns the uses of ``self.test_session`` and the like in ``tf.test.TestCase``; they are None in eager mode."""
    asked = ("test_session", "cached_session") if "test.TestCase" in module.uses else ()
    return [node for name in asked for node in module.names.attributes.get(name, ())]


def is_in_graph_mode(modules: Iterable[Module]) -> bool:
    """Whether a program builds graphs outside its estimators: in TensorFlow 1, unless it enables eager mode."""
    modules = list(modules)
    modes = {found.tail for module in modules for _, found in module.mode_calls}
    return not any(mode.startswith("enable_") for mode in modes) and (bool(modes) or not any(map(_is_eager, modules)))


def _is_eager(module: Module) -> bool:
    """Whether a file imports ``compat.v2``, or reads tensors by ``numpy()``."""
    imported = (alias.name for node in module.names.nodes(ast.Import) for alias in node.names)
    return "tensorflow.compat.v2" in imported or "numpy" in module.names.attributes


def mode_place(module: Module) -> ast.Call | ast.Import | ast.ImportFrom | None:
    """Returns where to choose graph mode: the call that already does, else an import of TensorFlow 1; None for none."""
    for call, found in module.mode_calls:
        is_statement = isinstance(module.names.parent(call), ast.Expr)
        if found.tail.startswith("disable_") and is_statement and isinstance(call.func, ast.Attribute):
            return call
    for statement in module.tree.body:
        if isinstance(statement, ast.Import) and any(
            alias.name in V1_PATHS and (alias.asname or alias.name == "tensorflow") for alias in statement.names
        ):
            return statement
    importing = (statement for found in tf1_imports(module).values() for statement in found)
    return next((statement for statement in importing if reexported_tf(module, statement)), None)


OTHER_PACKAGES = ("compat", "contrib", "core", "estimator", "examples", "python", "tools")
"""Packages of ``tensorflow`` that ``tensorflow.compat.v1`` lacks, or that should no longer be used."""


def tf1_imports(module: Module) -> dict[ast.expr, tuple[ast.Import | ast.ImportFrom, ...]]:
    """Returns the names of TensorFlow 1 with their imports, if these can change to ``compat.v1``."""
    found: dict[ast.expr, tuple[ast.Import | ast.ImportFrom, ...]] = {}
    for node, _ in module.tf1_only:
        statements = root_imports(module.names, node)
        if statements and all(_can_change(module, statement) for statement in statements):
            found[node] = statements
    return found


def _can_change(module: Module, statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether ``tensorflow.compat.v1`` has every name that an import binds."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names if alias.name.split(".")[0] == "tensorflow"]
        return names == ["tensorflow"] and not _is_passed_on(module, statement)
    path = ("." * statement.level + (statement.module or "")).split(".")
    is_tensorflow = path[0] == "tensorflow" and path[1:2] != ["compat"] and not {*path[1:]} & {*OTHER_PACKAGES}
    return is_tensorflow or bool(reexported_tf(module, statement))


def _is_passed_on(module: Module, statement: ast.Import) -> bool:
    """Whether a function that imports TensorFlow passes the module on, so that its uses are unknown."""
    own = next(alias for alias in statement.names if alias.name == "tensorflow")
    names, name = module.names, own.asname or own.name
    scope = names.scope_of(statement)
    uses = [] if isinstance(scope.node, ast.Module) else names.uses(name, scope)
    return not all(isinstance(names.parent(use), ast.Attribute) for use in uses)


def reexported_tf(module: Module, statement: ast.stmt) -> str:
    """Returns the name of TensorFlow in ``from base import tf`` of another file; "" for any other statement."""
    if not isinstance(statement, ast.ImportFrom):
        return ""
    bindings = module.names.top.bindings.items()
    return next((name for name, (one, *_) in bindings if one.node is statement and one.imported == "tensorflow"), "")
