"""The functions behind an expression, in its own file or in others of the tree."""

import ast
from dataclasses import dataclass

from migrate.analysis.callers import given_for
from migrate.analysis.methods import Unseen, method
from migrate.analysis.module import Module
from migrate.analysis.names import Binding, FunctionNode
from migrate.analysis.tree import Tree
from migrate.analysis.uses import Hidden
from migrate.files.trouble import Unreadable

_YIELDS = (ast.Yield, ast.YieldFrom)
_LONGEST = 20
"""Names that stand for one another may do so in a circle."""


class Unfollowable(Exception):
    """An expression that is not seen to be a function, with the reason."""


@dataclass(frozen=True)
class Function:
    """A function and the module that it stands in."""

    module: Module
    node: FunctionNode

    @property
    def parameters(self) -> set[str]:
        """The names of its parameters."""
        arguments = self.node.args
        return {argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs}


def functions_behind(tree: Tree, module: Module, expression: ast.expr, depth: int = 0) -> list[Function]:
    """The function that an expression evaluates to; several where branches, or a loop, assign one or another.

    Args:
      tree: the files around the module.
      module: where the expression stands.
      expression: a function's name, a lambda, a ``functools.partial``, or a call that ends in returning it.
      depth: how many names have been followed.

    Raises:
      Unfollowable: where it is not seen to be a function.
    """
    if depth > _LONGEST:
        raise Unfollowable(f"`{_shown(expression)}` is made from itself")
    if isinstance(expression, ast.Lambda):
        return [Function(module, expression)]
    if isinstance(expression, ast.IfExp):
        return _each(tree, module, [expression.body, expression.orelse], depth)
    if isinstance(expression, ast.Call):
        return _returned(tree, module, expression, depth)
    if isinstance(expression, ast.Name):
        found = module.names.scope_of(expression).lookup(expression.id)
        if found is None:
            raise Unfollowable(f"`{expression.id}` is not bound in this file")
        return [one for binding in found[1] for one in _bound(tree, module, expression.id, binding, depth)]
    dotted = module.names.qualified(expression) if isinstance(expression, ast.Attribute) else None
    if dotted is None and isinstance(expression, ast.Attribute):
        try:
            return [Function(*method(tree, module, expression))]
        except Unseen as reason:
            raise Unfollowable(str(reason)) from reason
    if dotted is None:
        raise Unfollowable(f"`{_shown(expression)}` is not seen to be a function")
    return _exported(tree, module, dotted, depth)


def _each(tree: Tree, module: Module, expressions: list[ast.expr], depth: int) -> list[Function]:
    return [one for expression in expressions for one in functions_behind(tree, module, expression, depth + 1)]


def _bound(tree: Tree, module: Module, name: str, binding: Binding, depth: int) -> list[Function]:
    """What one of the places that bind a name binds it to."""
    if isinstance(binding.node, FunctionNode):
        return [Function(module, binding.node)]
    if binding.imported is not None:
        return _exported(tree, module, binding.imported, depth)
    if isinstance(binding.node, ast.arg):
        return _given(tree, module, binding.node, depth)
    if binding.value is None:
        raise Unfollowable(f"`{name}` is not seen to be a function ({module.path}, line {_line(binding)})")
    return functions_behind(tree, module, binding.value, depth + 1)


def _given(tree: Tree, module: Module, parameter: ast.arg, depth: int) -> list[Function]:
    """What the callers of a function give for a parameter, each in its own file."""
    try:
        given = given_for(tree, module, parameter)
    except Hidden as reason:
        raise Unfollowable(str(reason)) from reason
    return [one for where, value in given for one in functions_behind(tree, where, value, depth + 1)]


def _exported(tree: Tree, module: Module, dotted: str, depth: int) -> list[Function]:
    """What a dotted import leads to."""
    found = tree.target(module, dotted)
    if found is None:
        raise Unfollowable(f"`{dotted}` is in no file of the tree")
    try:
        other = tree.module(found.path)
    except Unreadable as problem:
        raise Unfollowable(f"{tree.name(found.path)} {problem.finding.message}") from problem
    if len(found.names) != 1 or found.names[0] not in other.names.top.bindings:
        raise Unfollowable(f"`{dotted}` is no function of {other.path}")
    bindings = other.names.top.bindings[found.names[0]]
    return [one for binding in bindings for one in _bound(tree, other, found.names[0], binding, depth + 1)]


def _returned(tree: Tree, module: Module, call: ast.Call, depth: int) -> list[Function]:
    """What a call returns: of ``functools.partial``, or of a builder whose every ``return`` gives a function."""
    if module.names.qualified(call.func) == "functools.partial" and call.args:
        return functions_behind(tree, module, call.args[0], depth + 1)
    found: list[Function] = []
    for builder in functions_behind(tree, module, call.func, depth + 1):
        if isinstance(builder.node, ast.Lambda):
            found += functions_behind(tree, builder.module, builder.node.body, depth + 1)
            continue
        returns = builder.module.names.returns(builder.node)
        values = [node.value for node in returns if node.value is not None]
        is_plain = isinstance(builder.node, ast.FunctionDef) and not any(
            isinstance(node, _YIELDS) for node in ast.walk(builder.node)
        )
        if not is_plain or not returns or len(values) != len(returns):
            raise Unfollowable(f"`{_shown(call.func)}` does not end in the function that it returns")
        found += _each(tree, builder.module, values, depth)
    return found


def _shown(expression: ast.expr) -> str:
    return ast.unparse(expression)[:60]


def _line(binding: Binding) -> int:
    return getattr(binding.node, "lineno", 0)
