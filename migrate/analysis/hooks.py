"""User-defined ``SessionRunHook`` classes: which of them a Keras callback can stand in for."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from migrate.analysis.names import Names
from migrate.analysis.symbols import EAGER, HOOK_BASES, symbol_of

# Method of a hook → the names of its parameters after self, by position.
HOOK_METHODS = {"begin": 0, "before_run": 1, "after_run": 2, "end": 1}
TAKEN_BY_CALLBACK = {
    "model", "params", "validation_data", "set_model", "set_params", "_model", "_supports_tf_logs",
    "_chief_worker_only",
}  # fmt: skip
_NEW_PARAMETERS = {"batch", "logs"}


@dataclass
class HookClass:
    """One ``class X(SessionRunHook)`` of the module.

    Attributes:
      node: the class.
      base: the expression that names the base class.
      methods: the overridden hook methods by name.
      stops: the statements ``run_context.request_stop()``.
      problem: the node and reason for which no callback can stand in; None when one can.
    """

    node: ast.ClassDef
    base: ast.expr
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)
    stops: list[ast.Expr] = field(default_factory=list)
    problem: tuple[ast.AST, str] | None = None

    @property
    def initializer(self) -> ast.FunctionDef | None:
        return next((s for s in self.node.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"), None)


def hook_class(names: Names, node: ast.ClassDef) -> HookClass | None:
    """Reads a class; None if it is no direct subclass of ``SessionRunHook`` alone."""
    if len(node.bases) != 1:
        return None
    found = symbol_of(names, node.bases[0])
    if found is None or found.tail not in HOOK_BASES:
        return None
    hook = HookClass(node, node.bases[0])
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef):
            problem = _read_method(hook, statement)
            hook.problem = hook.problem or problem
    hook.problem = hook.problem or next(_problems_of_class(names, hook), None)
    return hook


def _problems_of_class(names: Names, hook: HookClass) -> Iterator[tuple[ast.AST, str]]:
    node, name = hook.node, hook.node.name
    for decoration in [*node.decorator_list, *(keyword.value for keyword in node.keywords)]:
        yield decoration, f"`{name}` has a decorator or a metaclass, which may expect a SessionRunHook"
    scope = names.scope_of(node.body[0])
    for bound, bindings in scope.bindings.items():
        if bound in HOOK_METHODS and [binding.node for binding in bindings] != [hook.methods.get(bound)]:
            yield node, f"`{name}.{bound}` is not one plain method"
        if bound in TAKEN_BY_CALLBACK or bound.startswith("on_"):
            yield node, f"`{name}` has an attribute `{bound}`, which Keras sets on every callback"
    annotations = {id(part) for method in hook.methods.values() for part in _walk_annotations(method)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr in HOOK_METHODS and _is_own(hook, part.value):
            yield part, f"`{name}` calls `{part.attr}` itself, which gets another name"
        if isinstance(part, ast.Attribute) and part.attr == "__init__" and not _is_super(part.value):
            yield part, f"`{name}` calls the initializer of a class by its name"
        if isinstance(part, ast.Attribute | ast.Name) and part is not hook.base and id(part) not in annotations:
            found = None if isinstance(names.parent(part), ast.Attribute) else symbol_of(names, part)
            if found is not None and found.api == "v1" and not found.tail.startswith(EAGER):
                yield part, f"`{name}` uses `{found.qualified}`, which works on a graph"
    for method in hook.methods.values():
        for part in ast.walk(method):
            found_name = names.scope_of(part).lookup(part.id) if isinstance(part, ast.Name) else None
            if isinstance(part, ast.Name) and part.id in _NEW_PARAMETERS and found_name and found_name[0] is names.top:
                yield part, f"`{part.id}` is a global name here, and a parameter of a callback's method"


def _walk_annotations(method: ast.FunctionDef) -> Iterator[ast.AST]:
    for annotation in [method.returns, *(argument.annotation for argument in method.args.args)]:
        if annotation is not None:
            yield from ast.walk(annotation)


def _is_own(hook: HookClass, value: ast.expr) -> bool:
    """Whether an expression is the hook itself, ``self`` or ``super()``."""
    selves = {statement.args.args[0].arg for statement in hook.node.body if _has_self(statement)}
    return _is_super(value) or (isinstance(value, ast.Name) and value.id in selves)


def _has_self(statement: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(statement, ast.FunctionDef) and bool(statement.args.args)


def _is_super(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "super"


def _read_method(hook: HookClass, method: ast.FunctionDef) -> tuple[ast.AST, str] | None:
    if method.name == "after_create_session":
        return method, f"`{hook.node.name}.after_create_session` works on the session, which TF2 does not have"
    parameters = [argument.arg for argument in method.args.args]
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and node.attr in TAKEN_BY_CALLBACK and _is_name(node.value, parameters[:1]):
            return node, f"`{hook.node.name}` has an attribute `{node.attr}`, which Keras sets on every callback"
    if method.name not in HOOK_METHODS:
        return None
    hook.methods[method.name] = method
    more = method.args.vararg or method.args.kwarg or method.args.posonlyargs or method.args.kwonlyargs
    is_usual = len(parameters) == 1 + HOOK_METHODS[method.name] and parameters[0] not in _NEW_PARAMETERS
    if not is_usual or more or method.decorator_list:
        return method, f"`{hook.node.name}.{method.name}` has unusual parameters"
    if method.name == "before_run":
        for node in ast.walk(method):
            if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
                return node, f"`{hook.node.name}.before_run` fetches tensors from the session"
    given = parameters[1:]
    stops = [
        statement
        for statement in ast.walk(method)
        if isinstance(statement, ast.Expr) and method.name != "end" and _is_request_stop(statement, given[:1])
    ]
    hook.stops += stops
    allowed = {id(node) for statement in stops for node in ast.walk(statement)}
    for node in ast.walk(method):
        if isinstance(node, ast.Name) and node.id in given and id(node) not in allowed:
            return node, f"`{hook.node.name}.{method.name}` uses `{node.id}` for more than request_stop()"
    return None


def _is_request_stop(statement: ast.Expr, context: list[str]) -> bool:
    call = statement.value
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "request_stop"
        and not call.args
        and not call.keywords
        and _is_name(call.func.value, context)
    )


def _is_name(node: ast.expr, ids: list[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in ids


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
