"""What the callers of a function give for one of its parameters, and the files that they stand in."""

import ast

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import Unbindable, bind, defaults
from migrate.analysis.source.module import Module
from migrate.analysis.values.uses import HiddenUse, uses


def given_for(tree: Tree, module: Module, parameter: ast.arg) -> list[tuple[Module, ast.expr]]:
    """What each call of a parameter's function gives for it, or its default, with the file that it stands in.

    Args:
      parameter: one of a function's, or of the ``__init__`` of a class; no other method's.

    Raises:
      HiddenUse: where not every call of the function is seen, or none is.
    """
    names = module.names
    function = names.scope_of(parameter).node
    if not isinstance(function, ast.FunctionDef):
        raise HiddenUse(f"`{parameter.arg}` is a parameter, so it depends on the caller")
    shown, owner = f"`{parameter.arg}` is a parameter of `{function.name}`", names.scope_of(function)
    positional, called = [*function.args.posonlyargs, *function.args.args], function.name
    if isinstance(owner.node, ast.ClassDef) and called == "__init__" and parameter not in positional[:1]:
        positional, called, owner = positional[1:], owner.node.name, names.scope_of(owner.node)
    if function.decorator_list:
        raise HiddenUse(f"{shown}, which has a decorator")
    if parameter not in [*positional, *function.args.kwonlyargs] or isinstance(owner.node, ast.ClassDef):
        raise HiddenUse(f"{shown}, whose calls cannot be followed")
    places = uses(tree, module, called) if owner is names.top else [(module, u) for u in names.uses(called, owner)]
    default = defaults(function).get(parameter.arg)
    found: list[tuple[Module, ast.expr]] = []
    for where, use in places:
        call = where.names.parent(use)
        if not isinstance(call, ast.Call) or call.func is not use:
            raise HiddenUse(f"{shown}, which is passed on ({where.path}, line {use.lineno})")
        try:
            given = bind(call, [one.arg for one in positional])
        except Unbindable as reason:
            raise HiddenUse(f"{shown}, and a call of it cannot be read ({where.path}, line {use.lineno})") from reason
        if parameter.arg in given:
            found.append((where, given[parameter.arg]))
        elif default is not None:
            found.append((module, default))
        else:
            raise HiddenUse(f"{shown}, and a call does not give it ({where.path}, line {use.lineno})")
    if not found:
        raise HiddenUse(f"{shown}, which nothing in the tree calls")
    return found
