"""Trainings that run in turns of a loop, each with a directory of its own: the folds of a cross-validation."""

import ast
from collections.abc import Iterable, Iterator

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.names import Names
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.reach import DEEPEST, Reach
from migrate.analysis.scopes import Scope

_JOINS = {"join", "format", "str"}


def has_own_place(reach: Reach, training: ast.stmt, where: str) -> bool:
    """Whether each turn of the loops around a training, and around the calls that lead to it, names another directory.

    Args:
      reach: the calls of the program, from the training's file.
      training: its statement.
      where: the directory, as source at the training's place.
    """
    module = reach.module
    place: ast.AST = training
    known = _known(module.names, place, ast.parse(where, mode="eval").body)
    for _ in range(DEEPEST):
        function = module.names.scope_of(place).node
        for one in module.names.ancestors(place):
            if one is function:
                break
            if isinstance(one, ast.For | ast.While) and _counter(module.names, one) not in known:
                return False
        calls = reach.callers(reach.know(function, module)) if isinstance(function, ast.FunctionDef) else []
        if not isinstance(function, ast.FunctionDef) or not calls:
            return isinstance(function, ast.FunctionDef | ast.Module)
        if len(calls) > 1:
            return False
        inside = module.names.scope_of(place)
        kept = {name for name in known if len(inside.bindings.get(name, ())) == 1}
        module, place = reach.module_of(calls[0]), calls[0]
        given = _given(function, place)
        known = _followed(module.names, [value for name, value in given.items() if name in kept])
    return False


def _counter(names: Names, loop: ast.For | ast.While) -> str:
    """The variable that has another number in each turn of a loop; "" for none."""
    call = loop.iter if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) else None
    target = loop.target if isinstance(loop, ast.For) else None
    if call is not None and name_of(call.func) == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    elif call is None or name_of(call.func) != "range":
        return ""
    return target.id if isinstance(target, ast.Name) and len(names.bound(target)) == 1 else ""


def _spelled(value: ast.AST) -> set[str]:
    """The variables that are spelled in a text as they are, so that another value makes another text."""
    if isinstance(value, ast.Name):
        return {value.id}
    parts: list[ast.AST] = []
    if isinstance(value, ast.JoinedStr | ast.Tuple):
        parts = [*ast.iter_child_nodes(value)]
    elif isinstance(value, ast.FormattedValue):
        parts = [value.value]
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        parts = [value.left, value.right]
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod) and isinstance(value.left, ast.Constant):
        parts = [value.right]
    elif isinstance(value, ast.Call) and name_of(value.func) in _JOINS:
        parts = [*value.args, *(keyword.value for keyword in value.keywords)]
    return {name for part in parts for name in _spelled(part)}


def _followed(names: Names, values: Iterable[ast.expr]) -> set[str]:
    """The variables that are spelled in some values, and in those of these variables."""
    found, waiting = set[str](), [*values]
    while waiting:
        value = waiting.pop()
        new = _spelled(value) - found
        found |= new
        held = (node for node in ast.walk(value) if isinstance(node, ast.Name) and node.id in new)
        waiting += [one for node in held if (one := names.only_value(node)) is not None]
    return found


def _known(names: Names, place: ast.AST, where: ast.expr) -> set[str]:
    """The variables that are spelled in a directory, which stands in no tree of its own yet."""
    scope, parts = names.scope_of(place), [where]
    calls = [one for one in ast.walk(where) if isinstance(one, ast.Call)]
    beside = next((one for one in calls if name_of(one.func).startswith("directory_beside")), None)
    if beside is not None:
        whole = beside.args[0]  # what stands behind the first field of a path does not name the directory
        path = _held(scope, whole.id) if isinstance(whole, ast.Name) else None
        if path is not None:
            return _followed(names, _before_fields(path))
        parts = [*_before_fields(whole)]
    found = {name for part in parts for name in _spelled(part)}
    return found | _followed(names, [one for name in found if (one := _held(scope, name)) is not None])


def _held(scope: Scope, name: str) -> ast.expr | None:
    """What the one statement that binds a variable gives it."""
    found = scope.lookup(name)
    return found[1][0].value if found is not None and len(found[1]) == 1 else None


def _before_fields(path: ast.expr) -> Iterator[ast.expr]:
    """The arguments of an ``os.path.join`` before the first one with a field to be filled in."""
    for part in path.args if isinstance(path, ast.Call) and name_of(path.func) == "join" else ():
        if any(isinstance(one, ast.Constant) and "{" in str(one.value) for one in ast.walk(part)):
            return
        yield part


def _given(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    expected = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
    try:
        return bind(call, expected)
    except Unbindable:
        return {}
