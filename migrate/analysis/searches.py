"""Where a path comes from: the files that an expression searches for, through variables and functions."""

import ast
import posixpath
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.names import Binding, Names
from migrate.analysis.paths import directory, is_written_to, normal, template

SEARCHES = {
    "glob", "iglob", "rglob", "iterdir", "listdir", "scandir", "latest_checkpoint", "list_directory",
    "get_checkpoint_state",
}  # fmt: skip


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
                value = value_of(names, binding)
                if value is not None:
                    yield from searched(module, value, depth + 1)
        if not isinstance(node, ast.Call):
            continue
        if name_of(node.func) in SEARCHES:
            given = _looked_in(names, node)
            if given is not None:
                yield directory(given) if "*" in given else normal(given or ".")
                if "*" in given:
                    yield normal(given.partition("*")[0].rstrip("._-/") or ".")
        elif isinstance(node.func, ast.Name):
            function = names.definition(node.func)
            if isinstance(function, ast.FunctionDef) and searches(function):
                for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                    given = template(names, argument)
                    if given is not None:
                        yield normal(given or ".")
                if not node.args and not node.keywords:
                    returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
                    for value in returns if depth < 4 else ():
                        yield from searched(module, value, depth + 1)


def _looked_in(names: Names, search: ast.Call) -> str | None:
    """The directory or pattern that a search is given; that of a ``Path`` is asked of it: ``folder.glob("*.h5")``."""
    given = template(names, search.args[0]) if search.args else None
    if not isinstance(search.func, ast.Attribute) or names.qualified(search.func) is not None:
        return given
    holder = search.func.value
    if isinstance(holder, ast.Name) and names.scope_of(holder).lookup(holder.id) is None:
        return given
    base = template(names, holder)
    if base is None:
        return None
    if search.func.attr == "iterdir":
        return base
    return posixpath.join(base, "*" if search.func.attr == "rglob" else given or "*")


def value_of(names: Names, binding: Binding) -> ast.expr | None:
    """What a statement gives a name, alone or with others: the call in ``path, epoch = newest(folder)``, a loop's."""
    if isinstance(binding.node, ast.For):
        return binding.node.iter
    statement = names.parents.get(binding.node) if isinstance(binding.node, ast.Tuple) else None
    return statement.value if isinstance(statement, ast.Assign) else binding.value


def searches(function: ast.AST) -> bool:
    return any(isinstance(node, ast.Call) and name_of(node.func) in SEARCHES for node in ast.walk(function))


def name_of(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
