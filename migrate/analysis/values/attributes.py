"""What the attributes of the program's own objects hold."""

import ast
import os
from collections.abc import Iterator

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import FARTHEST
from migrate.analysis.source.scopes import value_beside
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.methods import (
    Unseen,
    check_not_derived,
    check_plain,
    class_around,
    class_of,
    class_of_name,
)
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
    family = dict(_family(tree, *made, shown))
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


def _family(tree: Tree, module: Module, owner: ast.ClassDef, shown: str) -> Iterator[tuple[ast.ClassDef, Module]]:
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
