"""The imports that give a file TensorFlow 1, and whether ``tensorflow.compat.v1`` can stand in their place."""

import ast

from migrate.analysis.source.module import Module
from migrate.analysis.source.names import imports_of

OTHER_PACKAGES = ("compat", "contrib", "core", "estimator", "examples", "python", "tools")
"""What ``tensorflow`` holds and ``tensorflow.compat.v1`` does not, or should not give any more."""


def imports_of_1(module: Module) -> dict[ast.expr, tuple[ast.Import | ast.ImportFrom, ...]]:
    """The names of TensorFlow 1 that imports of TensorFlow alone give a file, and these statements."""
    found: dict[ast.expr, tuple[ast.Import | ast.ImportFrom, ...]] = {}
    for node, _ in module.tf1_only:
        statements = imports_of(module.names, node)
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
    return is_tensorflow or bool(given_by_star(module, statement))


def _is_given_away(module: Module, statement: ast.Import) -> bool:
    """Whether a function that imports TensorFlow hands it on, to code whose names are not seen."""
    own = next(alias for alias in statement.names if alias.name == "tensorflow")
    names, name = module.names, own.asname or own.name
    scope = names.scope_of(statement)
    uses = [] if isinstance(scope.node, ast.Module) else names.uses(name, scope)
    return not all(isinstance(names.parent(use), ast.Attribute) for use in uses)


def given_by_star(module: Module, statement: ast.stmt) -> str:
    """The name by which an import of another file's names gives TensorFlow; "" for any other import."""
    if not isinstance(statement, ast.ImportFrom):
        return ""
    bindings = module.names.top.bindings.items()
    return next((name for name, (one, *_) in bindings if one.node is statement and one.imported == "tensorflow"), "")
