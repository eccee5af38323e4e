"""The function behind an expression, in its own file or in another one of the tree."""

import ast
import os
from dataclasses import dataclass

from migrate.analysis.imports import target
from migrate.analysis.module import Module
from migrate.analysis.names import Binding, FunctionNode
from migrate.analysis.tree import Tree
from migrate.files.trouble import Unreadable

_LONGEST = 20
"""Names that stand for one another may do so in a circle."""


class Unfollowable(Exception):
    """An expression that is not seen to be one function, with the reason."""


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


def function_behind(tree: Tree, module: Module, expression: ast.expr, depth: int = 0) -> Function:
    """The function that an expression evaluates to.

    Args:
      tree: the files around the module.
      module: where the expression stands.
      expression: a function's name, a lambda, a ``functools.partial``, or a call that ends in returning it.
      depth: how many names have been followed.

    Raises:
      Unfollowable: where it is not seen to be one function.
    """
    if depth > _LONGEST:
        raise Unfollowable(f"`{_shown(expression)}` is made from itself")
    if isinstance(expression, ast.Lambda):
        return Function(module, expression)
    if isinstance(expression, ast.Call):
        return _returned(tree, module, expression, depth)
    if isinstance(expression, ast.Name):
        found = module.names.scope_of(expression).lookup(expression.id)
        if found is None:
            raise Unfollowable(f"`{expression.id}` is not bound in this file")
        return _bound(tree, module, expression.id, found[1], depth)
    dotted = module.names.qualified(expression) if isinstance(expression, ast.Attribute) else None
    if dotted is None:
        raise Unfollowable(f"`{_shown(expression)}` is not seen to be one function")
    return _exported(tree, module, dotted, depth)


def _bound(tree: Tree, module: Module, name: str, bindings: list[Binding], depth: int) -> Function:
    """What a name stands for that is bound once."""
    if len(bindings) != 1:
        lines = ", ".join(str(line) for line in sorted({getattr(b.node, "lineno", 0) for b in bindings}))
        raise Unfollowable(f"`{name}` is bound in more than one place ({module.path}, lines {lines})")
    binding = bindings[0]
    if isinstance(binding.node, FunctionNode):
        return Function(module, binding.node)
    if binding.imported is not None:
        return _exported(tree, module, binding.imported, depth)
    if isinstance(binding.node, ast.arg):
        raise Unfollowable(f"`{name}` is a parameter, so it depends on the caller")
    if binding.value is None:
        raise Unfollowable(f"`{name}` is not seen to be one function ({module.path}, line {_line(binding)})")
    return function_behind(tree, module, binding.value, depth + 1)


def _exported(tree: Tree, module: Module, dotted: str, depth: int) -> Function:
    """What a dotted import leads to."""
    found = target(os.path.abspath(module.path), dotted)
    if found is None:
        raise Unfollowable(f"`{dotted}` is in no file of the tree")
    try:
        other = tree.module(found.path)
    except Unreadable as problem:
        raise Unfollowable(f"{tree.name(found.path)} {problem.finding.message}") from problem
    if len(found.names) != 1 or found.names[0] not in other.names.top.bindings:
        raise Unfollowable(f"`{dotted}` is no function of {other.path}")
    return _bound(tree, other, found.names[0], other.names.top.bindings[found.names[0]], depth + 1)


def _returned(tree: Tree, module: Module, call: ast.Call, depth: int) -> Function:
    """What a call returns: of ``functools.partial``, or of a builder that ends in ``return function``."""
    if module.names.qualified(call.func) == "functools.partial" and call.args:
        return function_behind(tree, module, call.args[0], depth + 1)
    builder = function_behind(tree, module, call.func, depth + 1)
    last = builder.node.body[-1] if isinstance(builder.node, ast.FunctionDef) else None
    if isinstance(builder.node, ast.Lambda):
        return function_behind(tree, builder.module, builder.node.body, depth + 1)
    if not isinstance(last, ast.Return) or last.value is None:
        raise Unfollowable(f"`{_shown(call.func)}` does not end in the function that it returns")
    return function_behind(tree, builder.module, last.value, depth + 1)


def _shown(expression: ast.expr) -> str:
    return ast.unparse(expression)[:60]


def _line(binding: Binding) -> int:
    return getattr(binding.node, "lineno", 0)
