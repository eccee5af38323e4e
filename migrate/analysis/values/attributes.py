"""The values and methods of the attributes of the program's own objects."""

import ast
import os
import re
from collections.abc import Iterator

from migrate.analysis.program.links import star_owner
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import MAX_STEPS
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import attribute_stores, name_of
from migrate.analysis.source.scopes import unpacked_value
from migrate.analysis.source.symbols import symbol_of
from migrate.files.trouble import Unreadable

_DYNAMIC_STORES = {"setattr", "vars"}


def values_of_attribute(tree: Tree, module: Module, expression: ast.Attribute) -> list[tuple[Module, ast.expr]]:
    """Returns every value that the tree assigns to an attribute of an object whose class is known.

    Args:
      expression: ``self.name`` in a method, ``Class(…).name``, or ``x.name`` after a sole ``x = Class(…)``.

    Returns:
      The expressions with their files; [] if there may be other values.
    """
    try:
        return [*_assigned_values(tree, module, expression)]
    except (UncertainAttribute, Unreadable):
        return []


def _assigned_values(tree: Tree, module: Module, expression: ast.Attribute) -> Iterator[tuple[Module, ast.expr]]:
    name, shown = expression.attr, ast.unparse(expression)[:60]
    owner = class_of_self(module, expression)
    found_class = (module, owner) if owner is not None else class_of(tree, module, expression.value)
    if found_class is None:
        return
    family = dict(_base_classes(tree, *found_class, shown))
    files = list({where.path: where for where in family.values()}.values())
    for own, where in family.items():
        for binding in where.names.scope_of(own.body[0]).bindings.get(name, []):
            yield where, _value_or_raise(binding.value, shown)
    if not any(attribute_stores(where.names, name) for where in files):
        return
    if owner is not None:
        check_not_derived(tree, module, owner.name, name, shown)
    for where in [*files, *_files_with_name(tree, files, name)]:
        if _DYNAMIC_STORES & where.names.variables.keys() or "__dict__" in where.names.attributes:
            raise UncertainAttribute(f"`{shown}` may be assigned by its name's text in {where.path}")
        for store in attribute_stores(where.names, name):
            around = class_of_self(where, store)
            if around is None or around in family:  # not of an object of another class
                statement = where.names.parent(store)
                is_plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1
                is_seen = around is not None and (is_plain or isinstance(statement, ast.AnnAssign))
                plain = statement.value if is_seen else None  # type: ignore[attr-defined]
                unpacked = _unpacked_attribute(where, store) if around is not None else None
                yield where, _value_or_raise(unpacked or plain, shown)


def _unpacked_attribute(module: Module, store: ast.Attribute) -> ast.expr | None:
    """Returns the value of an attribute in a tuple assignment: ``f()[1]`` for ``self.a, self.b = f()``; else None."""
    unpacked, targets = unpacked_value(module.names.parents, store), module.names.parent(store)
    statement = module.names.parents.get(targets)
    is_call = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    is_each = isinstance(targets, ast.Tuple) and not any(isinstance(one, ast.Starred) for one in targets.elts)
    if unpacked is None and is_call and is_each and isinstance(targets, ast.Tuple):
        assert isinstance(statement, ast.Assign)
        return ast.Subscript(statement.value, ast.Constant(targets.elts.index(store)), ast.Load())
    return unpacked


def _value_or_raise(value: ast.expr | None, shown: str) -> ast.expr:
    if value is None:
        raise UncertainAttribute(f"`{shown}` is assigned in a way that cannot be followed")
    return value


def _base_classes(tree: Tree, module: Module, owner: ast.ClassDef, shown: str) -> Iterator[tuple[ast.ClassDef, Module]]:
    """Yields a class and its base classes, with their files; raises UncertainAttribute if one of them is unknown."""
    for _ in range(MAX_STEPS):
        check_plain(owner, shown)
        yield owner, module
        bases = [base for base in owner.bases if not _sets_no_attributes(module, base)]
        if not bases:
            return
        found = class_of_name(tree, module, bases[0]) if len(bases) == 1 else None
        if found is None:
            break
        module, owner = found
    raise UncertainAttribute(f"`{shown}` may belong to an unknown class")


def _sets_no_attributes(module: Module, base: ast.expr) -> bool:
    """Whether a base class sets none of the program's attributes: ``object``, a model of Keras."""
    found = symbol_of(module.names, base)
    is_plain = isinstance(base, ast.Name) and base.id in ("object", "ABC")
    return is_plain or (found is not None and found.tail in ("keras.Model", "keras.models.Model", "Module"))


def _files_with_name(tree: Tree, modules: list[Module], name: str) -> Iterator[Module]:
    """Yields the other files that contain a name and may receive objects of these files' classes.

    Raises:
      Unreadable: if one of them cannot be parsed.
    """
    paths: dict[str, None] = {}
    for module in modules:
        for path in tree.importers(module) if os.path.exists(module.path) else ():
            paths |= dict.fromkeys([path, *(link.target.path for link in tree.closure_of(path))])
        paths |= dict.fromkeys(link.target.path for link in tree.closure(module))
    known = {os.path.abspath(module.path) for module in modules}
    for path in paths:
        if path not in known and tree.contains_word(path, name):
            yield tree.module(path)


_OVERRIDES = frozenset({"__new__", "__getattribute__", "__setattr__"})
"""Methods that may replace a class's objects or attributes by others than its body defines."""


class UncertainAttribute(Exception):
    """Raised for an attribute whose method or value is not certain; the message says why."""


def method(tree: Tree, module: Module, expression: ast.Attribute) -> tuple[Module, ast.FunctionDef]:
    """Returns a method: ``self.name``, ``Class(…).name``, or ``x.name`` after a sole ``x = Class(…)``.

    Raises:
      UncertainAttribute: if it may be another function.
    """
    shown = ast.unparse(expression)[:60]
    owner = class_of_self(module, expression)
    if owner is not None:
        where, found = module, _method_in_body(module, owner, expression.attr, shown)
        if found is None:
            raise UncertainAttribute(f"`{shown}` is not known to be one plain method of `{owner.name}`")
        check_not_derived(tree, module, owner.name, expression.attr, shown)
    else:
        found_class = class_of(tree, module, expression.value)
        if found_class is None:
            raise UncertainAttribute(f"`{shown}` is not known to be a function")
        where, found = _inherited_method(tree, *found_class, expression.attr, shown)
    if any(attribute_stores(each.names, expression.attr) for each in (module, where)):
        raise UncertainAttribute(f"`{shown}` may be something else than a method: `.{expression.attr}` is assigned")
    return where, found


def class_of_self(module: Module, expression: ast.Attribute) -> ast.ClassDef | None:
    """Returns the class whose method reads an attribute of ``self``; None for an attribute of another object."""
    caller = module.names.scope_of(expression).node
    decorators = caller.decorator_list if isinstance(caller, ast.FunctionDef) else []
    is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in decorators)
    if not isinstance(caller, ast.FunctionDef) or not caller.args.args or is_static:
        return None
    owner = module.names.scope_of(caller).node
    is_own = isinstance(expression.value, ast.Name) and expression.value.id == caller.args.args[0].arg
    return owner if isinstance(owner, ast.ClassDef) and is_own else None


def class_of(tree: Tree, module: Module, value: ast.expr) -> tuple[Module, ast.ClassDef] | None:
    """Returns the class whose constructor creates an object, with its module; None if that is unknown."""
    if isinstance(value, ast.Name):
        assigned = module.names.only_value(value)
        return class_of(tree, module, assigned) if isinstance(assigned, ast.Call) else None
    return class_of_name(tree, module, value.func) if isinstance(value, ast.Call) else None


def class_of_name(tree: Tree, module: Module, name: ast.expr) -> tuple[Module, ast.ClassDef] | None:
    """Returns the class that a name refers to, with its module; None if that is unknown or no class."""
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
    tree: Tree, module: Module, owner: ast.ClassDef, name: str, shown: str
) -> tuple[Module, ast.FunctionDef]:
    """Returns a method of a class or of its base classes; raises UncertainAttribute if that is not certain."""
    for each, where in _base_classes(tree, module, owner, shown):
        found = _method_in_body(where, each, name, shown)
        if found is not None:
            return where, found
    raise UncertainAttribute(f"`{shown}` is not known to be one plain method of `{owner.name}`")


def check_plain(owner: ast.ClassDef, shown: str) -> None:
    """Raises UncertainAttribute if a class may replace its objects or attributes by others than its body defines."""
    defined = {node.name for node in owner.body if isinstance(node, ast.FunctionDef)}
    if owner.decorator_list or owner.keywords or defined & _OVERRIDES:
        raise UncertainAttribute(f"`{shown}` belongs to `{owner.name}`, which is no plain class")


def _method_in_body(module: Module, owner: ast.ClassDef, name: str, shown: str) -> ast.FunctionDef | None:
    """Returns the undecorated method ``name`` in the body of a class; None if the body does not bind the name."""
    bindings = module.names.scope_of(owner.body[0]).bindings.get(name, [])
    found = bindings[0].node if len(bindings) == 1 else None
    if isinstance(found, ast.FunctionDef) and not found.decorator_list:
        return found
    if bindings:
        raise UncertainAttribute(f"`{shown}` is not known to be one plain method of `{owner.name}`")
    return None


def check_not_derived(tree: Tree, module: Module, owner: str, name: str, shown: str, depth: int = 0) -> None:
    """Raises UncertainAttribute if a derived class may redefine or assign the attribute."""
    derived = re.compile(rf"^\s*class\s+\w+\s*\([^)]*\b{owner}\b", re.MULTILINE)
    importers = tree.importers(module) if os.path.exists(module.path) else []
    others = [path for path in importers if owner in tree.source(path).text and derived.search(tree.source(path).text)]
    try:
        files = [*([module] if derived.search(module.text) else []), *map(tree.module, others)]
    except Unreadable as problem:
        raise UncertainAttribute(f"`{shown}` may belong to a class that derives from `{owner}`") from problem
    for where in files:
        for one in where.names.classes:
            if owner not in map(name_of, one.bases):
                continue
            if _defines(one, name) or depth > MAX_STEPS:
                raise UncertainAttribute(f"`{shown}` may belong to a class that derives from `{owner}` ({where.path})")
            check_not_derived(tree, where, one.name, name, shown, depth + 1)


def _defines(owner: ast.ClassDef, name: str) -> bool:
    """Whether a class defines a method ``name`` or assigns anything of that name."""
    stored = (node for node in walk(owner) if isinstance(getattr(node, "ctx", None), ast.Store))
    methods = {node.name for node in owner.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return name in methods or any(name_of(node) == name for node in stored)  # type: ignore[arg-type]
