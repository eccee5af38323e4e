"""The calls and assigned attributes of a file by name, and the names of calls that search for files."""

import ast

from migrate.analysis.source.names import Names
from migrate.analysis.source.scopes import Scope
from migrate.files.run_cache import tree_cache

SEARCHES = {
    "glob", "iglob", "rglob", "iterdir", "listdir", "scandir", "latest_checkpoint", "list_directory",
    "get_checkpoint_state",
}  # fmt: skip
EXISTENCE_CHECKS = {"exists", "isfile", "isdir", "is_file", "is_dir", "file_exists", "Exists"}
APPEND_METHODS = ("append", "extend", "insert")
"""Methods that add to a list."""
WEIGHTS_WITHIN = "/variables/variables"
"""The path of a SavedModel's weights below its directory."""


def path_argument(load: ast.Call) -> ast.expr | None:
    """Returns the file argument of a call that loads, or None."""
    return load.args[0] if load.args else next((k.value for k in load.keywords if k.arg == "filepath"), None)


def name_of(func: ast.expr) -> str:
    """Returns the last part of a dotted name, ``fit`` of ``model.fit``; "" for any other expression."""
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def attribute_stores(names: Names, name: str) -> list[ast.Attribute]:
    """Returns the places of a file that assign or delete an attribute of a name, of any object."""
    return [one for one in names.attributes.get(name, ()) if not isinstance(one.ctx, ast.Load)]


@tree_cache
def calls_by_name(names: Names) -> dict[str, list[ast.Call]]:
    """Returns the calls of a file by the last part of the called name, in the order of the file."""
    found: dict[str, list[ast.Call]] = {}
    for node in names.nodes(ast.Call):
        found.setdefault(name_of(node.func), []).append(node)
    for some in found.values():
        some.sort(key=lambda call: (call.lineno, call.col_offset))
    return found


@tree_cache
def additions(names: Names) -> dict[tuple[str, Scope], list[ast.expr]]:
    """Returns the values that calls add to lists, by the variable of the list and its scope."""
    found: dict[tuple[str, Scope], list[ast.expr]] = {}
    for call in (one for method in APPEND_METHODS for one in calls_by_name(names).get(method, ())):
        held = call.func.value if isinstance(call.func, ast.Attribute) and call.args else None
        if isinstance(held, ast.Name):
            found.setdefault((held.id, names.scope_of(held)), []).append(call.args[-1])
    return found
