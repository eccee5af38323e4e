"""Whether an expression can move to a later statement without changing what it evaluates to."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.names import Names
from migrate.analysis.source.scopes import Binding
from migrate.analysis.source.symbols import symbol_of

_PURE_BUILTINS = {
    "abs", "bool", "dict", "enumerate", "float", "int", "len", "list", "max", "min", "range", "reversed", "round",
    "set", "sorted", "str", "sum", "tuple", "zip",
}  # fmt: skip
_PURE_MODULES = ("math.", "numpy.", "operator.", "os.path.")
_PURE_METHODS = {
    "astype", "copy", "format", "get", "items", "join", "keys", "lower", "split", "strip", "upper", "values",
}  # fmt: skip
_PURE_TENSORFLOW = ("ConfigProto", "GPUOptions", "estimator.", "feature_column.", "keras.optimizers.", "train.")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def why_not_movable(names: Names, expression: ast.expr, statement: ast.stmt) -> str | None:
    """Returns why ``expression`` may not move into ``statement``, or None if its value and effects stay the same."""
    origin = names.statement_of(expression)
    if origin is statement:
        return None
    scope = names.scope_of(statement)
    for name in _free_names(names, expression):
        found, there = names.scope_of(name).lookup(name.id), scope.lookup(name.id)
        if (found and found[0]) is not (there and there[0]):
            return f"`{name.id}` is something else at line {statement.lineno}"
        if found is not None and any(_may_run_between(names, b.node, origin, statement, found[1]) for b in found[1]):
            return f"`{name.id}` changes between line {origin.lineno} and line {statement.lineno}"
    read = {_store_key(node) for node in ast.walk(expression) if isinstance(node, ast.Attribute | ast.Subscript)}
    for store in names.stores:
        if _store_key(store) in read and _may_run_between(names, store, origin, statement, ()):
            return f"`{ast.unparse(store)}` changes between line {origin.lineno} and line {statement.lineno}"
    if not is_pure(names, expression) and not _runs_next(names, origin, statement):
        return f"`{ast.unparse(expression)[:60]}` would be evaluated later than it is now"
    return None


def is_pure(names: Names, expression: ast.expr) -> bool:
    """Whether ``expression`` gives the same result, without side effects, as long as its variables do not change."""
    if isinstance(expression, ast.Lambda):
        return True
    return all(_is_pure_part(names, node) for node in ast.walk(expression))


def _is_pure_part(names: Names, node: ast.AST) -> bool:
    if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom | ast.GeneratorExp):
        return False
    if not isinstance(node, ast.Call):
        return True
    found, qualified = symbol_of(names, node.func), names.qualified(node.func) or ""
    if found is not None:
        return found.tail.startswith(_PURE_TENSORFLOW)
    if qualified.startswith(_PURE_MODULES):
        return not qualified.startswith("numpy.random.")
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in _PURE_METHODS
    is_builtin = isinstance(node.func, ast.Name) and names.scope_of(node).lookup(node.func.id) is None
    return is_builtin and isinstance(node.func, ast.Name) and node.func.id in _PURE_BUILTINS


def _free_names(names: Names, expression: ast.expr) -> Iterator[ast.Name]:
    inside = set(ast.walk(expression))
    for node in inside:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found = names.scope_of(node).lookup(node.id)
            if found is None or found[0].node not in inside:
                yield node


def _store_key(node: ast.Attribute | ast.Subscript) -> str:
    """Returns the name of an attribute, of whatever object; for an item, the source of its container."""
    return node.attr if isinstance(node, ast.Attribute) else f"{ast.dump(node.value).replace('Store', 'Load')}[]"


def _may_run_between(
    names: Names, node: ast.AST, origin: ast.stmt, statement: ast.stmt, bindings: "list[Binding] | tuple[()]"
) -> bool:
    """Whether the assignment ``node`` may run between ``origin`` and ``statement``."""
    if len(bindings) == 1:
        return False
    place, start, end = _position(node), _position(origin), _position(statement)
    if names.scope_of(origin) is not names.scope_of(statement):
        return place > start or isinstance(node, ast.expr)
    if start < place < end:
        return True
    around = {id(loop) for loop in names.ancestors(origin) if isinstance(loop, _LOOPS)}
    loops = [loop for loop in names.ancestors(statement) if isinstance(loop, _LOOPS) and id(loop) not in around]
    return any(_position(loop) <= place <= ((loop.end_lineno or 0) + 1, 0) for loop in loops)


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _runs_next(names: Names, origin: ast.stmt, statement: ast.stmt) -> bool:
    """Whether both statements are in one block, and those between them have no side effects."""
    for _, block in ast.iter_fields(names.parent(origin)):
        if isinstance(block, list) and origin in block and statement in block:
            between = block[block.index(origin) + 1 : block.index(statement)]
            return all(_has_no_effect(names, statement) for statement in between)
    return False


def _has_no_effect(names: Names, statement: ast.stmt) -> bool:
    """Whether a statement only assigns a pure expression, or defines a function."""
    if isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
        defaults = [*statement.args.defaults, *(d for d in statement.args.kw_defaults if d is not None)]
        return all(is_pure(names, default) for default in defaults)
    return isinstance(statement, ast.Assign) and is_pure(names, statement.value)
