"""The values of the items of the program's own dictionaries and lists."""

import ast
from collections.abc import Iterator

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import Unbindable
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import tail_called
from migrate.analysis.values.uses import HiddenUse, uses

_READ_METHODS = {"copy", "get", "items", "keys", "values"}
_READ_FUNCTIONS = {"dict", "len", "list", "print", "set", "sorted", "str", "tuple"}
_Item = tuple[object, ast.expr]
_ANY = object()
"""Any key: one that the code does not show."""


def items(tree: Tree, module: Module, expression: ast.Subscript | ast.Call) -> list[tuple[Module, ast.expr]]:
    """Returns every value that an item may have, of a dictionary or list whose items are all known.

    Args:
      expression: ``d[key]``, ``d.get(key)`` or ``d.get(key, default)``.

    Returns:
      The expressions with their files; [] if there may be other values.
    """
    if isinstance(expression, ast.Subscript):
        holder, key, others = expression.value, expression.slice, []
    elif isinstance(expression.func, ast.Attribute) and expression.func.attr == "get" and expression.args:
        holder, key, *others = [expression.func.value, *expression.args]
    else:
        return []
    found = _dictionary(tree, module, holder) if isinstance(holder, ast.Name | ast.Attribute) else None
    if found is None:
        return []
    owner, name, written = found
    try:
        stored = [*_added_items(tree, owner, name)]
    except (HiddenUse, Unbindable):
        return []
    asked = _literal_key(key)
    matching = [value for known, value in [*written, *stored] if asked is _ANY or known is _ANY or known == asked]
    is_there = asked is not _ANY and any(known == asked for known, _ in written)
    if is_there or isinstance(expression, ast.Subscript):
        return [(owner, value) for value in matching]
    return [*((owner, value) for value in matching), (module, others[0])] if others else []


def _literal_key(key: ast.expr) -> object:
    return key.value if isinstance(key, ast.Constant) else _ANY


def _dictionary(
    tree: Tree, module: Module, holder: ast.Name | ast.Attribute
) -> tuple[Module, ast.Name, list[_Item]] | None:
    """Returns the file and the variable of a dictionary, and its initial items; None if these are unknown."""
    dotted = module.names.qualified(holder)
    if dotted is not None:
        owner, own = tree.owner(module, dotted)
        bindings = owner.names.top.bindings.get(own, []) if owner is not None else []
    else:
        owner, bindings = module, module.names.bindings(holder)
    statement = bindings[0].node if len(bindings) == 1 else None
    if owner is None or not isinstance(statement, ast.Assign | ast.AnnAssign):
        return None
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    written = literal_items(owner, bindings[0].value)
    return (owner, target, written) if isinstance(target, ast.Name) and written is not None else None


def literal_items(module: Module, value: ast.expr | None) -> list[_Item] | None:
    """Returns the items of a literal dictionary, list or tuple, of ``dict(…)`` or a comprehension; else None."""
    if isinstance(value, ast.ListComp):
        return [(_ANY, value.elt)]
    if isinstance(value, ast.List | ast.Tuple):
        is_plain = not any(isinstance(one, ast.Starred) for one in value.elts)
        return [*enumerate(value.elts)] if is_plain else None
    if isinstance(value, ast.Dict):
        items = [(_literal_key(key), one) for key, one in zip(value.keys, value.values, strict=True) if key is not None]
        return items if len(items) == len(value.keys) else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or value.func.id != "dict":
        return None
    is_builtin = module.names.scope_of(value.func).lookup("dict") is None
    named = [(keyword.arg, keyword.value) for keyword in value.keywords if keyword.arg is not None]
    return [*named] if is_builtin and not value.args and len(named) == len(value.keywords) else None


def _added_items(tree: Tree, owner: Module, name: ast.Name) -> Iterator[_Item]:
    """Yields the items that are added to a dictionary later; raises HiddenUse if there may be unknown ones."""
    names = owner.names
    scope = names.scope_of(name)
    places = uses(tree, owner, name.id) if scope is names.top else [(owner, use) for use in names.uses(name.id, scope)]
    for where, use in places:
        parent = where.names.parent(use)
        if isinstance(parent, ast.Subscript) and parent.value is use and not isinstance(parent.ctx, ast.Load):
            statement = where.names.parent(parent)
            if where is not owner or not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
                raise HiddenUse(f"`{name.id}` is changed ({where.path}, line {use.lineno})")
            yield _literal_key(parent.slice), statement.value
        elif not _is_only_read(where, parent, use):
            raise HiddenUse(f"`{name.id}` is passed on ({where.path}, line {use.lineno})")


def _is_only_read(module: Module, parent: ast.AST, use: ast.expr) -> bool:
    """Whether a use only reads a dictionary."""
    if isinstance(parent, ast.Attribute):
        call = module.names.parent(parent)
        return parent.attr in _READ_METHODS and isinstance(call, ast.Call) and call.func is parent
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Name) and parent.func.id in _READ_FUNCTIONS and use in parent.args
    if isinstance(parent, ast.keyword):  # an Estimator copies its params
        call = module.names.parent(parent)
        is_estimator = tail_called(module.names, call).startswith("estimator.")
        return parent.arg is None or (parent.arg == "params" and is_estimator)
    if isinstance(parent, ast.Dict):
        return any(key is None and value is use for key, value in zip(parent.keys, parent.values, strict=True))
    loops = getattr(parent, "generators", [parent])
    is_iterated = any(getattr(loop, "iter", None) is use for loop in loops)
    return is_iterated or isinstance(parent, ast.Subscript | ast.Compare | ast.FormattedValue)
