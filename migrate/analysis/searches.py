"""Where a path comes from: the files that an expression searches for, through variables and functions."""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.paths import directory, is_written_to, normal, template

SEARCHES = {"glob", "iglob", "listdir", "scandir", "latest_checkpoint", "list_directory", "get_checkpoint_state"}


def is_own_file(module: Module, path: ast.expr, saved: str) -> bool:
    """Whether a loaded path is ``saved``, which a ``ModelCheckpoint`` writes, or the newest in its directory."""
    own = template(module.names, path)
    if own is not None and is_written_to(own, saved):
        return True
    if isinstance(path, ast.Call) and isinstance(path.func, ast.Attribute) and path.func.attr == "format":
        base = template(module.names, path.func.value)  # path.format(epoch=n)
        return base is not None and normal(base) == normal(saved)
    return any(where in _places(saved) for where in searched(module, path, 0))


def _places(path: str) -> set[str]:
    """What a search for a path's file may be given: its directory, or the beginning of its name."""
    return {directory(path), normal(path.partition("{")[0].rstrip("._-/") or "."), normal(path)}


def searched(module: Module, expression: ast.expr, depth: int) -> Iterator[str]:
    """The directories in which an expression looks for the newest file, through its variables and functions."""
    names = module.names
    for node in ast.walk(expression):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and depth < 4:
            found = names.scope_of(node).lookup(node.id)
            for binding in found[1] if found is not None else ():
                if binding.value is not None:
                    yield from searched(module, binding.value, depth + 1)
        if not isinstance(node, ast.Call):
            continue
        if name_of(node.func) in SEARCHES:
            given = template(names, node.args[0]) if node.args else None
            if given is not None:
                yield directory(given) if "*" in given else normal(given or ".")
                if "*" in given:
                    yield normal(given.partition("*")[0].rstrip("._-/") or ".")
        elif isinstance(node.func, ast.Name):
            function = names.definition(node.func)
            if isinstance(function, ast.FunctionDef) and searches(function):
                for argument in node.args:
                    given = template(names, argument)
                    if given is not None:
                        yield normal(given or ".")
                if not node.args:
                    returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
                    for value in returns if depth < 4 else ():
                        yield from searched(module, value, depth + 1)


def searches(function: ast.AST) -> bool:
    return any(isinstance(node, ast.Call) and name_of(node.func) in SEARCHES for node in ast.walk(function))


def name_of(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
