"""Where a path comes from: the files that an expression searches for, through variables and functions."""

import ast
import posixpath
from collections.abc import Collection, Iterator
from functools import lru_cache

from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.paths import directory, is_written_to, normal, template
from migrate.analysis.scopes import Binding
from migrate.files.parse import KEPT

SEARCHES = {
    "glob", "iglob", "rglob", "iterdir", "listdir", "scandir", "latest_checkpoint", "list_directory",
    "get_checkpoint_state",
}  # fmt: skip
WEIGHTS_WITHIN = "/variables/variables"
"""Where a SavedModel has its weights, in TensorFlow's format."""


def path_of(load: ast.Call) -> ast.expr | None:
    """What a call that loads is given as the file."""
    return load.args[0] if load.args else next((k.value for k in load.keywords if k.arg == "filepath"), None)


def is_own_file(module: Module, path: ast.expr, saved: Collection[str]) -> bool:
    """Whether a loaded path is one of those that callbacks write, or the newest in the directory of one."""
    own = template(module.names, path)
    if own is not None and any(is_written_to(own.removesuffix(WEIGHTS_WITHIN), one) for one in saved):
        return True
    if isinstance(path, ast.Call) and isinstance(path.func, ast.Attribute) and path.func.attr == "format":
        base = template(module.names, path.func.value)  # path.format(epoch=n)
        return base is not None and any(normal(base) == normal(one) for one in saved)
    places = {*searched(module, path)}
    return bool(places) and any(not places.isdisjoint(_places(one)) for one in saved)


def _places(path: str) -> set[str]:
    """What a search for a path's file may be given: its directory, or the beginning of its name."""
    return {directory(path), normal(path.partition("{")[0].rstrip("._-/") or "."), normal(path)}


def searched(module: Module, expression: ast.expr) -> Iterator[str]:
    """The directories in which an expression looks for the newest file, through its variables and functions."""
    names, seen, waiting = module.names, set[ast.AST](), [expression]
    while waiting:
        for node in ast.walk(waiting.pop()):
            if node in seen:
                continue
            seen.add(node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                waiting += [value for one in names.bound(node) if (value := value_of(names, one)) is not None]
            elif isinstance(node, ast.Call) and name_of(node.func) in SEARCHES:
                given = _looked_in(names, node)
                if given is not None:
                    yield directory(given) if "*" in given else normal(given or ".")
                    if "*" in given:
                        yield normal(given.partition("*")[0].rstrip("._-/") or ".")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                function = names.definition(node.func)
                if not isinstance(function, ast.FunctionDef) or not searches(function):
                    continue
                arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
                templates = (template(names, argument) for argument in arguments)
                yield from (normal(given or ".") for given in templates if given is not None)
                if not arguments:
                    returns = (one.value for one in ast.walk(function) if isinstance(one, ast.Return))
                    waiting += [value for value in returns if value is not None]


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


@lru_cache(maxsize=KEPT)
def called(names: Names) -> frozenset[str]:
    """The last parts of the names that a file calls; each of its programs asks."""
    return frozenset(name_of(node.func) for node in names.nodes(ast.Call))


def name_of(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


@lru_cache(maxsize=KEPT)
def calls_by_name(names: Names) -> dict[str, list[ast.Call]]:
    """The calls of a file by the last part of the name that they call, in the order of the file."""
    found: dict[str, list[ast.Call]] = {}
    for node in names.nodes(ast.Call):
        found.setdefault(name_of(node.func), []).append(node)
    for some in found.values():
        some.sort(key=lambda call: (call.lineno, call.col_offset))
    return found
