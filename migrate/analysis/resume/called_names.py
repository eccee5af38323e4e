"""Names of the functions that the code of a resumption by hand calls: to search files, to count, to tell, to end."""

import ast

from migrate.analysis.path_searches import name_of

EXISTS = {"exists", "isfile", "isdir", "is_file", "is_dir", "file_exists", "Exists"}
TELLS = {"print", "info", "warning", "debug", "warn", "write", "error", "exception", "summary"}
COUNTING = {
    "int", "max", "min", "sorted", "len", "list", "str", "float", "filter", "map", "reversed", "split", "search",
    "match", "findall", "group", "groups", "replace", "strip", "rstrip", "lstrip", "join", "basename", "dirname",
    "splitext", "get_value", "numpy", "format", "compile", "sub", "endswith", "startswith", "partition", "rpartition",
    "getctime", "getmtime", "stat", "sort", "rsplit", "isdigit", "range", "enumerate", "zip", "next", "any", "all",
    "round", "abs", "natsorted", "lower", "Path", "as_posix", "with_suffix", "fullmatch",
}  # fmt: skip
_EXITS = {"exit", "_exit", "quit"}


def exits(node: ast.AST | None) -> bool:
    """Whether a call, or a statement that is one, ends the process."""
    call = node.value if isinstance(node, ast.Expr) else node
    return isinstance(call, ast.Call) and name_of(call.func) in _EXITS
