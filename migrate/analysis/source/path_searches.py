"""What the calls are named that search for files, and what calls are given as their paths."""

import ast

from migrate.analysis.source.names import Names
from migrate.files.run_cache import tree_cache

SEARCHES = {
    "glob", "iglob", "rglob", "iterdir", "listdir", "scandir", "latest_checkpoint", "list_directory",
    "get_checkpoint_state",
}  # fmt: skip
EXISTS = {"exists", "isfile", "isdir", "is_file", "is_dir", "file_exists", "Exists"}
ADDS = ("append", "extend", "insert")
"""Methods that add to a list."""
WEIGHTS_WITHIN = "/variables/variables"
"""Where a SavedModel has its weights, in TensorFlow's format."""


def path_of(load: ast.Call) -> ast.expr | None:
    """What a call that loads is given as the file."""
    return load.args[0] if load.args else next((k.value for k in load.keywords if k.arg == "filepath"), None)


def name_of(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


@tree_cache
def calls_by_name(names: Names) -> dict[str, list[ast.Call]]:
    """The calls of a file by the last part of the name that they call, in the order of the file."""
    found: dict[str, list[ast.Call]] = {}
    for node in names.nodes(ast.Call):
        found.setdefault(name_of(node.func), []).append(node)
    for some in found.values():
        some.sort(key=lambda call: (call.lineno, call.col_offset))
    return found
