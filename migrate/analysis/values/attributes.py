"""What the attributes of the program's own objects hold, and which methods they are."""

import ast
import os
import re
from collections.abc import Iterator

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import FARTHEST
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.scopes import value_beside
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.uses import star_owner
from migrate.files.trouble import Unreadable

_UNSEEN_STORES = {"setattr", "vars"}


def values_of_attribute(tree: Tree, module: Module, expression: ast.Attribute) -> list[tuple[Module, ast.expr]]:
    """All that the tree assigns to an attribute of an object whose class is seen.

    Args:
      expression: ``self.name`` in a method, ``Class(…).name``, or ``x.name`` after a sole ``x = Class(…)``.

    Returns:
      The expressions with their files; none where something else may be assigned.
    """
    try:
        return [*_assigned_values(tree, module, expression)]
    except (Unseen, Unreadable):
        return []


def _assigned_values(tree: Tree, module: Module, expression: ast.Attribute) -> Iterator[tuple[Module, ast.expr]]:
    name, shown = expression.attr, ast.unparse(expression)[:60]
    owner = class_around(module, expression)
    made = (module, owner) if owner is not None else class_of(tree, module, expression.value)
    if made is None:
        return
    family = dict(_base_classes(tree, *made, shown))
    files = list({where.path: where for where in family.values()}.values())
    for own, where in family.items():
        for binding in where.names.scope_of(own.body[0]).bindings.get(name, []):
            yield where, _value(binding.value, shown)
    if not any(store.attr == name for where in files for store in _stores(where)):
        return
    if owner is not None:
        check_not_derived(tree, module, owner.name, name, shown)
    for where in [*files, *_files_with_name(tree, files, name)]:
        if _UNSEEN_STORES & where.names.variables.keys() or "__dict__" in where.names.attributes:
            raise Unseen(f"`{shown}` may be assigned by its name's text in {where.path}")
        for store in _stores(where):
            around = class_around(where, store)
            if store.attr == name and (around is None or around in family):  # an object of another class is another one
                statement = where.names.parent(store)
                is_plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1
                is_seen = around is not None and (is_plain or isinstance(statement, ast.AnnAssign))
                plain = statement.value if is_seen else None  # type: ignore[attr-defined]
                beside = _value_beside(where, store) if around is not None else None
                yield where, _value(beside or plain, shown)


def _value_beside(module: Module, store: ast.Attribute) -> ast.expr | None:
    """What an assignment to several gives one of them: of ``self.a, self.b = f()`` a part, ``f()[1]``."""
    beside, targets = value_beside(module.names.parents, store), module.names.parent(store)
    statement = module.names.parents.get(targets)
    is_call = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    is_each = isinstance(targets, ast.Tuple) and not any(isinstance(one, ast.Starred) for one in targets.elts)
    if beside is None and is_call and is_each and isinstance(targets, ast.Tuple):
        assert isinstance(statement, ast.Assign)
        return ast.Subscript(statement.value, ast.Constant(targets.elts.index(store)), ast.Load())
    return beside


def _stores(module: Module) -> Iterator[ast.Attribute]:
    return (store for store in module.names.stores if isinstance(store, ast.Attribute))


def _value(value: ast.expr | None, shown: str) -> ast.expr:
    if value is None:
        raise Unseen(f"`{shown}` is assigned in a way that is not seen")
    return value


def _base_classes(tree: Tree, module: Module, owner: ast.ClassDef, shown: str) -> Iterator[tuple[ast.ClassDef, Module]]:
    """A class and all that it derives from, with their files."""
    for _ in range(FARTHEST):
        check_plain(owner, shown)
        yield owner, module
        bases = [base for base in owner.bases if not _is_empty(module, base)]
        if not bases:
            return
        found = class_of_name(tree, module, bases[0]) if len(bases) == 1 else None
        if found is None:
            break
        module, owner = found
    raise Unseen(f"`{shown}` may be that of an unknown class")


def _is_empty(module: Module, base: ast.expr) -> bool:
    """Whether a class gives the attributes that a program assigns no other value: ``object``, a model of Keras."""
    found = symbol_of(module.names, base)
    is_plain = isinstance(base, ast.Name) and base.id in ("object", "ABC")
    return is_plain or (found is not None and found.tail in ("keras.Model", "keras.models.Model", "Module"))


def _files_with_name(tree: Tree, modules: list[Module], name: str) -> Iterator[Module]:
    """The other files that hold a name and may be given an object of these files' classes.

    Raises:
      Unreadable: where one of them cannot be parsed.
    """
    paths: dict[str, None] = {}
    for module in modules:
        for path in tree.importers(module) if os.path.exists(module.path) else ():
            paths |= dict.fromkeys([path, *(link.target.path for link in tree.closure_of(path))])
        paths |= dict.fromkeys(link.target.path for link in tree.closure(module))
    known = {os.path.abspath(module.path) for module in modules}
    for path in paths:
        if path not in known and tree.holds(path, name):
            yield tree.module(path)


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
        where, found = module, _method_in_body(module, owner, expression.attr, shown)
        if found is None:
            raise Unseen(f"`{shown}` is not seen to be one plain method of `{owner.name}`")
        check_not_derived(tree, module, owner.name, expression.attr, shown)
    else:
        made = class_of(tree, module, expression.value)
        if made is None:
            raise Unseen(f"`{shown}` is not seen to be a function")
        where, found = _inherited_method(tree, *made, expression.attr, shown)
    if any(store.attr == expression.attr for each in (module, where) for store in _stores(each)):
        raise Unseen(f"`{shown}` may be something else than a method: `.{expression.attr}` is assigned")
    return where, found


def class_around(module: Module, expression: ast.Attribute) -> ast.ClassDef | None:
    """The class in whose method an attribute of ``self`` stands; None for one of another object."""
    caller = module.names.scope_of(expression).node
    decorators = caller.decorator_list if isinstance(caller, ast.FunctionDef) else []
    is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in decorators)
    if not isinstance(caller, ast.FunctionDef) or not caller.args.args or is_static:
        return None
    owner = module.names.scope_of(caller).node
    is_own = isinstance(expression.value, ast.Name) and expression.value.id == caller.args.args[0].arg
    return owner if isinstance(owner, ast.ClassDef) and is_own else None


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
    tree: Tree, module: Module, owner: ast.ClassDef, name: str, shown: str
) -> tuple[Module, ast.FunctionDef]:
    """A method of a class or, where it has none of that name, of the one that it derives from."""
    for each, where in _base_classes(tree, module, owner, shown):
        found = _method_in_body(where, each, name, shown)
        if found is not None:
            return where, found
    raise Unseen(f"`{shown}` is not seen to be one plain method of `{owner.name}`")


def check_plain(owner: ast.ClassDef, shown: str) -> None:
    """Sees to it that a class gives no other object, and no other attribute, than its body says."""
    defined = {node.name for node in owner.body if isinstance(node, ast.FunctionDef)}
    if owner.decorator_list or owner.keywords or defined & _DECIDES:
        raise Unseen(f"`{shown}` is that of `{owner.name}`, which is no plain class")


def _method_in_body(module: Module, owner: ast.ClassDef, name: str, shown: str) -> ast.FunctionDef | None:
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
            if _defines(one, name) or depth > FARTHEST:
                raise Unseen(f"`{shown}` may be that of a class that derives from `{owner}` ({where.path})")
            check_not_derived(tree, where, one.name, name, shown, depth + 1)


def _defines(owner: ast.ClassDef, name: str) -> bool:
    """Whether a class defines or assigns something of a name."""
    stored = (node for node in walk(owner) if isinstance(getattr(node, "ctx", None), ast.Store))
    methods = {node.name for node in owner.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return name in methods or any(name_of(node) == name for node in stored)  # type: ignore[arg-type]
