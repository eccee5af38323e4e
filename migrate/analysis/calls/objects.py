"""The classes of a program's objects, which decide what method a call runs."""

import ast
from typing import TYPE_CHECKING

from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.files.run_cache import tree_cache

if TYPE_CHECKING:
    from migrate.analysis.calls.reach import Reach

_LIBRARIES = ("tensorflow", "keras", "tf_keras")
_MAX_DEPTH = 4


def classes_of(reach: "Reach", module: Module, value: ast.expr, depth: int = 0) -> list[ast.ClassDef] | None:
    """Returns the program's classes that an object may have; [] for an object of Keras, None if they are unknown."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, ast.Call):
        return _classes_of_result(reach, module, value, depth)
    given: list[tuple[Module, ast.expr | None]] = []
    if isinstance(value, ast.Name):
        given = [(module, one.value) for one in module.names.bindings(value)]
    elif isinstance(value, ast.Attribute):
        given = _attribute_values(reach, module, value, depth)
    found: list[ast.ClassDef] = []
    for where, one in given:
        classes = classes_of(reach, where, one, depth + 1) if one is not None else None
        if classes is None:
            return None
        found += classes
    return found if given else None


def _classes_of_result(reach: "Reach", module: Module, call: ast.Call, depth: int) -> list[ast.ClassDef] | None:
    """Returns the classes of a call's result: the class called, or those of what the called functions return."""
    dotted = module.names.qualified(call.func)
    if dotted is not None and dotted.partition(".")[0] in _LIBRARIES:
        return []
    name = name_of(call.func)
    named = reach.classes(name)
    if named:
        here = [one for one in named if reach.module_of(one) is module]
        return here or named
    is_own = isinstance(call.func, ast.Name | ast.Attribute) and ast.unparse(call.func).partition(".")[0] == "self"
    functions = reach.functions(reach.note(call, module)) if is_own or isinstance(call.func, ast.Name) else []
    found: list[ast.ClassDef] = []
    for function in functions:
        where = reach.module_of(function)
        for one in where.names.returns(function):
            classes = classes_of(reach, where, one.value, depth + 1) if one.value is not None else None
            if classes is None:
                return None
            found += classes
    return found if functions else None


def _attribute_values(
    reach: "Reach", module: Module, attribute: ast.Attribute, depth: int
) -> list[tuple[Module, ast.expr | None]]:
    """Returns the values that the classes of an object assign to an attribute, with their files."""
    holder = attribute.value
    if isinstance(holder, ast.Name) and holder.id == "self":
        around = next((one for one in module.names.ancestors(attribute) if isinstance(one, ast.ClassDef)), None)
        owners = [reach.note(around, module), *reach.subclasses(around)] if around is not None else []
    else:
        owners = classes_of(reach, module, holder, depth + 1) or []
    found: list[tuple[Module, ast.expr | None]] = []
    for owner in dict.fromkeys(one for each in owners for one in reach.bases(each)):
        found += [(reach.module_of(owner), one) for one in _assigned_attributes(owner).get(attribute.attr, ())]
    return found


@tree_cache
def _assigned_attributes(owner: ast.ClassDef) -> dict[str, list[ast.expr]]:
    """Returns the values that a class assigns to attributes of ``self``, by attribute name."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk(owner):
        if isinstance(node, ast.Assign):
            holder = (one for one in node.targets if isinstance(one, ast.Attribute))
            for name in {one.attr for one in holder if isinstance(one.value, ast.Name) and one.value.id == "self"}:
                found.setdefault(name, []).append(node.value)
    return found
