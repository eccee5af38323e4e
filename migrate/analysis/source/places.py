"""Keys that identify the variables and attributes of a module, and their assignments."""

import ast
from collections.abc import Hashable

from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.scopes import unpacked_value


def key_of(names: Names, expression: ast.expr | None) -> Hashable | None:
    """Returns a key that identifies a variable or an attribute; None for any other expression."""
    if isinstance(expression, ast.Name):
        found = names.scope_of(expression).lookup(expression.id)
        return (id(found[0]), expression.id) if found is not None else None
    if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
        if expression.value.id in ("self", "cls"):
            owner = names.class_around(expression)
            return (id(owner), f"self.{expression.attr}") if owner is not None else None
        base = key_of(names, expression.value)
        return (base, expression.attr) if base is not None else None
    return None


def single_assignment(names: Names, attribute: ast.expr) -> ast.expr | None:
    """Returns the value of an attribute that the file assigns exactly once; else None."""
    own = key_of(names, attribute) if isinstance(attribute, ast.Attribute) else None
    stores = [one for one in names.stores if own is not None and key_of(names, one) == own]
    statement = names.parent(stores[0]) if len(stores) == 1 else None
    if isinstance(statement, ast.Assign):
        return statement.value
    return unpacked_value(names.parents, stores[0]) if len(stores) == 1 else None


def stores_of(names: Names, place: ast.expr) -> list[ast.expr]:
    """Returns the targets that assign a variable or attribute, including those in derived and base classes."""
    own, text = key_of(names, place), ast.unparse(place) if isinstance(place, ast.Attribute) else None
    variables = (one for one in names.nodes(ast.Name) if isinstance(one.ctx, ast.Store))
    found = [*(one for one in names.stores if isinstance(one, ast.Attribute)), *variables]
    same = [one for one in found if own and (key_of(names, one) == own or ast.unparse(one) == text)]
    return [one for one in same if key_of(names, one) == own or _is_related(names, one, place)]


def _is_related(names: Names, one: ast.expr, other: ast.expr) -> bool:
    """Whether one of the classes around two nodes may be derived from the other."""
    first, last = names.class_around(one), names.class_around(other)
    if first is None or last is None:
        return True
    bases = {name_of(base) for owner in (first, last) for base in owner.bases}
    return first is last or not bases.isdisjoint({first.name, last.name})
