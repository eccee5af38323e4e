"""The uses of a module's top-level names in the whole tree, and the arguments that callers pass."""

import ast
import os
from collections.abc import Iterator

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import Unbindable, bind, defaults
from migrate.analysis.source.module import Module
from migrate.files.trouble import Unreadable


class HiddenUse(Exception):
    """Raised if a name may have uses that cannot be found; the message says why."""


def uses(tree: Tree, module: Module, name: str) -> list[tuple[Module, ast.expr]]:
    """Returns every expression that reads a top-level name of a module, in all files of the tree, with its module.

    Raises:
      HiddenUse: if there may be other uses.
    """
    question = "uses", module.tree, name
    if question not in tree.answers:
        try:
            tree.answers[question] = _find_uses(tree, module, name)
        except HiddenUse as reason:
            tree.answers[question] = HiddenUse(str(reason))  # without the traceback, which refers to the tree
    known = tree.answers[question]
    if isinstance(known, HiddenUse):
        raise HiddenUse(str(known))
    return known  # type: ignore[no-any-return]


def _find_uses(tree: Tree, module: Module, name: str) -> list[tuple[Module, ast.expr]]:
    found: list[tuple[Module, ast.expr]] = []
    waiting, known = [(module, name)], {(module.path, name)}
    while waiting:
        owner, bound = waiting.pop(0)
        found += [(owner, use) for use in owner.names.uses(bound, owner.names.top)]
        for importer in importers(tree, owner, bound):
            found += _uses_in_importer(tree, importer, owner, bound)
            for again in _reexported_names(tree, importer, owner, bound):
                if (importer.path, again) not in known:
                    known.add((importer.path, again))
                    waiting.append((importer, again))
    return list({id(use): (where, use) for where, one in found for use in _follow_alias(where, one)}.values())


def _follow_alias(module: Module, use: ast.expr) -> Iterator[ast.expr]:
    """Yields a use itself, or the uses of the variable that it is assigned to: ``f = module.f``."""
    names = module.names
    parent = names.parent(use)
    target = parent.targets[0] if isinstance(parent, ast.Assign) and len(parent.targets) == 1 else None
    found = names.scope_of(target).lookup(target.id) if isinstance(target, ast.Name) else None
    if not isinstance(target, ast.Name) or found is None or len(found[1]) != 1 or found[0] is names.top:
        yield use
        return
    for again in names.uses(target.id, found[0]):
        yield from _follow_alias(module, again)


def importers(tree: Tree, module: Module, name: str) -> Iterator[Module]:
    """Yields the modules that import another one and contain a name.

    Raises:
      HiddenUse: if one of them cannot be read.
    """
    if not os.path.exists(module.path):
        return
    for path in tree.importers(module, name):
        try:
            yield tree.module(path)
        except Unreadable as problem:
            raise HiddenUse(f"`{name}` may be used in {tree.name(path)}, which imports this file") from problem


def _uses_in_importer(tree: Tree, importer: Module, owner: Module, name: str) -> Iterator[tuple[Module, ast.expr]]:
    """Yields the uses in an importer by a dotted name, ``owner.name``, or by ``name`` where a function imports it."""
    names = importer.names
    if _imports_by_star(tree, importer, owner, name):
        unbound = (node for node in names.variables.get(name, ()) if isinstance(node.ctx, ast.Load))
        yield from ((importer, node) for node in unbound if names.scope_of(node).lookup(name) is None)
    if name in names.strings:
        raise HiddenUse(f"`{name}` may be used in {importer.path}, which holds it as a string")
    local = names.import_aliases.get(name, set()) - set(_reexported_names(tree, importer, owner, name))
    found: list[ast.Name | ast.Attribute] = [node for one in sorted(local) for node in names.variables.get(one, [])]
    for node in [*found, *names.attributes.get(name, [])]:
        dotted = names.qualified(node) if isinstance(node.ctx, ast.Load) else None
        if dotted is not None and _refers_to(tree, importer, dotted, owner, name):
            yield importer, node


def _reexported_names(tree: Tree, importer: Module, owner: Module, name: str) -> Iterator[str]:
    """Yields the importer's own top-level names for the owner's name, which others can import from it."""
    for bound, bindings in importer.names.top.bindings.items():
        for binding in bindings:
            is_from = isinstance(binding.node, ast.ImportFrom) and binding.imported is not None
            if is_from and binding.imported and _refers_to(tree, importer, binding.imported, owner, name):
                yield bound
    if _imports_by_star(tree, importer, owner, name):
        yield name


def _imports_by_star(tree: Tree, importer: Module, owner: Module, name: str) -> bool:
    """Whether a module has the owner's name by ``from owner import *``."""
    stars = importer.names.stars if name not in importer.names.top.bindings and not name.startswith("_") else ()
    found = (tree.target(importer, star) for star in stars)
    return any(one is not None and not one.names and one.path == os.path.abspath(owner.path) for one in found)


def _refers_to(tree: Tree, importer: Module, dotted: str, owner: Module, name: str) -> bool:
    """Whether a dotted name of the importer is the owner's name."""
    if dotted.rpartition(".")[2] != name:
        return False
    found = tree.target(importer, dotted)
    path = os.path.abspath(owner.path)
    return found is not None and path in (found.path, found.other) and found.names == (name,)


def argument_values(tree: Tree, module: Module, parameter: ast.arg) -> list[tuple[Module, ast.expr]]:
    """Returns the argument, or else the default, that each call passes for a parameter, with its file.

    Args:
      parameter: a parameter of a function or of the ``__init__`` of a class, but not of another method.

    Raises:
      HiddenUse: if some calls of the function are unknown, or it has none.
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
            raise HiddenUse(f"{shown}, and a call does not pass it ({where.path}, line {use.lineno})")
    if not found:
        raise HiddenUse(f"{shown}, which nothing in the tree calls")
    return found
