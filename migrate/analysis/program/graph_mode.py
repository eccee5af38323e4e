"""Whether the code of a program builds graphs for sessions, and where a file says so."""

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
"""Sessions, and what works on their graph alone: most of it raises an error in eager mode."""
GIVES_V1 = {"tensorflow": ".compat.v1", "tensorflow.compat.v1": "", "tensorflow.compat.v2": ".compat.v1"}
"""What follows the name of an import to name TensorFlow 1."""


def works_on_graphs(module: Module) -> bool:
    """Whether a file names sessions, or what works on their graph alone."""
    used = (found.tail for _, found in [*module.v1_uses, *module.tf1_only])
    return bool(test_sessions(module)) or not GRAPH_NAMES.isdisjoint(used)


def test_sessions(module: Module) -> list[ast.Attribute]:
    """The sessions that test cases of TensorFlow's ask themselves for: None in eager mode."""
    asked = ("test_session", "cached_session") if "test.TestCase" in module.uses else ()
    return [node for name in asked for node in module.names.attributes.get(name, ())]


def is_in_graph_mode(modules: Iterable[Module]) -> bool:
    """Whether the code around a program's estimators builds a graph: TensorFlow 1's does, unless it says otherwise."""
    modules = list(modules)
    modes = {found.tail for module in modules for _, found in module.mode_calls}
    return not any(mode.startswith("enable_") for mode in modes) and (bool(modes) or not any(map(_is_eager, modules)))


def _is_eager(module: Module) -> bool:
    """Whether a file imports TensorFlow 2 as such, or reads the values of tensors."""
    imported = (alias.name for node in module.names.nodes(ast.Import) for alias in node.names)
    return "tensorflow.compat.v2" in imported or "numpy" in module.names.attributes


def mode_place(module: Module) -> ast.Call | ast.Import | ast.ImportFrom | None:
    """Returns where to ask for graph mode: at the call that did so, else below an import of TensorFlow 1."""
    for call, found in module.mode_calls:
        is_statement = isinstance(module.names.parent(call), ast.Expr)
        if found.tail.startswith("disable_") and is_statement and isinstance(call.func, ast.Attribute):
            return call
    for statement in module.tree.body:
        if isinstance(statement, ast.Import) and any(
            alias.name in GIVES_V1 and (alias.asname or alias.name == "tensorflow") for alias in statement.names
        ):
            return statement
    importing = (statement for found in imports_of_1(module).values() for statement in found)
    return next((statement for statement in importing if reexported_tf(module, statement)), None)


OTHER_PACKAGES = ("compat", "contrib", "core", "estimator", "examples", "python", "tools")
"""What ``tensorflow`` holds and ``tensorflow.compat.v1`` does not, or should not give any more."""


def imports_of_1(module: Module) -> dict[ast.expr, tuple[ast.Import | ast.ImportFrom, ...]]:
    """The names of TensorFlow 1 that imports of TensorFlow alone give a file, and these statements."""
    found: dict[ast.expr, tuple[ast.Import | ast.ImportFrom, ...]] = {}
    for node, _ in module.tf1_only:
        statements = root_imports(module.names, node)
        if statements and all(_can_change(module, statement) for statement in statements):
            found[node] = statements
    return found


def _can_change(module: Module, statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether ``tensorflow.compat.v1`` can give all that an import gives."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names if alias.name.split(".")[0] == "tensorflow"]
        return names == ["tensorflow"] and not _is_given_away(module, statement)
    path = ("." * statement.level + (statement.module or "")).split(".")
    is_tensorflow = path[0] == "tensorflow" and path[1:2] != ["compat"] and not {*path[1:]} & {*OTHER_PACKAGES}
    return is_tensorflow or bool(reexported_tf(module, statement))


def _is_given_away(module: Module, statement: ast.Import) -> bool:
    """Whether a function that imports TensorFlow hands it on, to code whose names are not seen."""
    own = next(alias for alias in statement.names if alias.name == "tensorflow")
    names, name = module.names, own.asname or own.name
    scope = names.scope_of(statement)
    uses = [] if isinstance(scope.node, ast.Module) else names.uses(name, scope)
    return not all(isinstance(names.parent(use), ast.Attribute) for use in uses)


def reexported_tf(module: Module, statement: ast.stmt) -> str:
    """The name by which an import of another file's names gives TensorFlow; "" for any other import."""
    if not isinstance(statement, ast.ImportFrom):
        return ""
    bindings = module.names.top.bindings.items()
    return next((name for name, (one, *_) in bindings if one.node is statement and one.imported == "tensorflow"), "")
