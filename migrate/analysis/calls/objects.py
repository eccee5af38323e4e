"""The classes of a program's objects, which decide what method a call runs, and the values of their attributes."""

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import attribute_stores, name_of
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
    given: Sequence[tuple[Module, ast.expr | None]] = []
    if isinstance(value, ast.Name):
        given = [(module, one.value) for one in module.names.bindings(value)]
    elif isinstance(value, ast.Attribute):
        given = stored_values(reach, module, value, depth + 1)
    found: list[ast.ClassDef] = []
    given = [(where, one) for where, one in given if not (isinstance(one, ast.Constant) and one.value is None)]
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


def owners_of(reach: "Reach", module: Module, attribute: ast.Attribute, depth: int = 0) -> list[ast.ClassDef]:
    """Returns the program's classes that the object of an attribute may have; [] if they are unknown."""
    if not is_of_self(attribute):
        return classes_of(reach, module, attribute.value, depth) or []
    return reach.family(module.names.class_around(attribute), module)


def stored_values(
    reach: "Reach", module: Module, attribute: ast.Attribute, depth: int = 0
) -> list[tuple[Module, ast.expr]]:
    """Returns the values that the classes of an attribute's object, and their base classes, assign to it."""
    found: list[tuple[Module, ast.expr]] = []
    for owner in dict.fromkeys(base for one in owners_of(reach, module, attribute, depth) for base in reach.bases(one)):
        where = reach.module_of(owner)
        found += [(where, one) for one in class_values(where, owner, attribute.attr)]
        stores = [one for one in attribute_stores(where.names, attribute.attr) if owner in where.names.ancestors(one)]
        found += [(where, value) for one in stores if (value := assigned_value(where, one)) is not None]
    return found


def is_of_self(attribute: ast.Attribute) -> bool:
    return isinstance(attribute.value, ast.Name) and attribute.value.id in ("self", "cls")


def class_values(module: Module, owner: ast.ClassDef, name: str) -> list[ast.expr]:
    """Returns the values of an attribute in the body of a class."""
    return [one.value for one in module.names.scope_of(owner.body[0]).bindings.get(name, ()) if one.value is not None]


def assigned_value(module: Module, target: ast.Attribute) -> ast.expr | None:
    """Returns the value that is assigned to an attribute, for one of several targets the whole value; None for none."""
    statement = module.names.statement_of(target)
    return statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None


@tree_cache
def methods_by_name(owner: ast.ClassDef) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    found: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for node in owner.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault(node.name, []).append(node)
    return found
