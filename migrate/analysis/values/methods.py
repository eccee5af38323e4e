"""The method that an attribute stands for, where the class of its object is seen."""

import ast
import os
import re

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import FARTHEST
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.values.uses import star_owner
from migrate.files.trouble import Unreadable

_DECIDES = frozenset({"__new__", "__getattribute__", "__setattr__"})
"""Methods by which a class may give another object, or another attribute, than its body says."""


class Unseen(Exception):
    """A method that is not known for sure, with the reason."""


def method(tree: Tree, module: Module, expression: ast.Attribute) -> tuple[Module, ast.FunctionDef]:
    """The method that an attribute is: ``self.name``, ``Class(…).name``, or ``x.name`` after a sole ``x = Class(…)``.

    Raises:
      Unseen: where it may be another one.
    """
    shown = ast.unparse(expression)[:60]
    owner = class_around(module, expression)
    if owner is not None:
        where, found = module, _in_body(module, owner, expression.attr, shown)
        if found is None:
            raise Unseen(f"`{shown}` is not seen to be one plain method of `{owner.name}`")
        check_not_derived(tree, module, owner.name, expression.attr, shown)
    else:
        made = class_of(tree, module, expression.value)
        if made is None:
            raise Unseen(f"`{shown}` is not seen to be a function")
        where, found = _inherited_method(tree, *made, expression.attr, shown)
    if any(_stores(each, expression.attr) for each in (module, where)):
        raise Unseen(f"`{shown}` may be something else than a method: `.{expression.attr}` is assigned")
    return where, found


def class_around(module: Module, expression: ast.Attribute) -> ast.ClassDef | None:
    """The class in whose method an attribute of ``self`` stands; None for one of another object."""
    caller = module.names.scope_of(expression).node
    if not isinstance(caller, ast.FunctionDef) or not caller.args.args or _is_static(caller):
        return None
    owner = module.names.scope_of(caller).node
    is_own = isinstance(expression.value, ast.Name) and expression.value.id == caller.args.args[0].arg
    return owner if isinstance(owner, ast.ClassDef) and is_own else None


def _is_static(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.decorator_list)


def class_of(tree: Tree, module: Module, value: ast.expr) -> tuple[Module, ast.ClassDef] | None:
    """The class whose constructor makes an object, with its module."""
    if isinstance(value, ast.Name):
        made = module.names.only_value(value)
        return class_of(tree, module, made) if isinstance(made, ast.Call) else None
    return class_of_name(tree, module, value.func) if isinstance(value, ast.Call) else None


def class_of_name(tree: Tree, module: Module, name: ast.expr) -> tuple[Module, ast.ClassDef] | None:
    """The class that a name stands for, in its own file or another of the tree."""
    found = module.names.definition(name) if isinstance(name, ast.Name) else None
    dotted = module.names.qualified(name)
    if found is None:
        star = star_owner(tree, module, name.id) if isinstance(name, ast.Name) and dotted is None else None
        owner, own = tree.owner(module, dotted) if dotted is not None else (star, ast.unparse(name))
        bindings = owner.names.top.bindings.get(own, []) if owner is not None else []
        if owner is not None and len(bindings) == 1:
            module, found = owner, bindings[0].node
    return (module, found) if isinstance(found, ast.ClassDef) else None


def _inherited_method(
    tree: Tree, module: Module, owner: ast.ClassDef, name: str, shown: str, depth: int = 0
) -> tuple[Module, ast.FunctionDef]:
    """A method of a class or, where it has none of that name, of the one that it derives from."""
    check_plain(owner, shown)
    found = _in_body(module, owner, name, shown)
    if found is not None:
        return module, found
    base = class_of_name(tree, module, owner.bases[0]) if len(owner.bases) == 1 and depth < FARTHEST else None
    if base is None:
        raise Unseen(f"`{shown}` is not seen to be one plain method of `{owner.name}`")
    return _inherited_method(tree, *base, name, shown, depth + 1)


def check_plain(owner: ast.ClassDef, shown: str) -> None:
    """Sees to it that a class gives no other object, and no other attribute, than its body says."""
    defined = {node.name for node in owner.body if isinstance(node, ast.FunctionDef)}
    if owner.decorator_list or owner.keywords or defined & _DECIDES:
        raise Unseen(f"`{shown}` is that of `{owner.name}`, which is no plain class")


def _in_body(module: Module, owner: ast.ClassDef, name: str, shown: str) -> ast.FunctionDef | None:
    """The plain method of that name in the body of a class; None where nothing there has it."""
    bindings = module.names.scope_of(owner.body[0]).bindings.get(name, [])
    found = bindings[0].node if len(bindings) == 1 else None
    if isinstance(found, ast.FunctionDef) and not found.decorator_list:
        return found
    if bindings:
        raise Unseen(f"`{shown}` is not seen to be one plain method of `{owner.name}`")
    return None


def check_not_derived(tree: Tree, module: Module, owner: str, name: str, shown: str, depth: int = 0) -> None:
    """Sees to it that no class derives from that of ``self`` and gives the attribute another method or value."""
    derived = re.compile(rf"^\s*class\s+\w+\s*\([^)]*\b{owner}\b", re.MULTILINE)
    importers = tree.importers(module) if os.path.exists(module.path) else []
    others = [path for path in importers if owner in tree.source(path).text and derived.search(tree.source(path).text)]
    try:
        files = [*([module] if derived.search(module.text) else []), *map(tree.module, others)]
    except Unreadable as problem:
        raise Unseen(f"`{shown}` may be that of a class that derives from `{owner}`") from problem
    for where in files:
        for one in where.names.classes:
            if owner not in map(name_of, one.bases):
                continue
            if _gives(one, name) or depth > FARTHEST:
                raise Unseen(f"`{shown}` may be that of a class that derives from `{owner}` ({where.path})")
            check_not_derived(tree, where, one.name, name, shown, depth + 1)


def _gives(owner: ast.ClassDef, name: str) -> bool:
    """Whether a class defines or assigns something of a name."""
    stored = (node for node in walk(owner) if isinstance(getattr(node, "ctx", None), ast.Store))
    methods = {node.name for node in owner.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return name in methods or any(name_of(node) == name for node in stored)  # type: ignore[arg-type]


def _stores(module: Module, attribute: str) -> bool:
    return any(isinstance(store, ast.Attribute) and store.attr == attribute for store in module.names.stores)
