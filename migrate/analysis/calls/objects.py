"""Of which class of a program an object is, so that a method that it is asked for is that class's own."""

import ast
from typing import TYPE_CHECKING

from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.files.run_cache import tree_cache

if TYPE_CHECKING:
    from migrate.analysis.calls.reach import Reach

_LIBRARIES = ("tensorflow", "keras", "tf_keras")
_DEEPEST = 4


def classes_of(reach: "Reach", module: Module, value: ast.expr, depth: int = 0) -> list[ast.ClassDef] | None:
    """Returns the classes that a value may be an object of; none for one of Keras, None where that is not seen."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, ast.Call):
        return _made_by(reach, module, value, depth)
    given: list[tuple[Module, ast.expr | None]] = []
    if isinstance(value, ast.Name):
        given = [(module, one.value) for one in module.names.bound(value)]
    elif isinstance(value, ast.Attribute):
        given = _stored(reach, module, value, depth)
    found: list[ast.ClassDef] = []
    for where, one in given:
        classes = classes_of(reach, where, one, depth + 1) if one is not None else None
        if classes is None:
            return None
        found += classes
    return found if given else None


def _made_by(reach: "Reach", module: Module, call: ast.Call, depth: int) -> list[ast.ClassDef] | None:
    """The classes of what a call makes: its own, or those of what the functions return that it calls."""
    dotted = module.names.qualified(call.func)
    if dotted is not None and dotted.partition(".")[0] in _LIBRARIES:
        return []
    name = name_of(call.func)
    named = reach.classes(name)
    if named:
        here = [one for one in named if reach.module_of(one) is module]
        return here or named
    is_own = isinstance(call.func, ast.Name | ast.Attribute) and ast.unparse(call.func).partition(".")[0] == "self"
    functions = reach.functions(reach.know(call, module)) if is_own or isinstance(call.func, ast.Name) else []
    found: list[ast.ClassDef] = []
    for function in functions:
        where = reach.module_of(function)
        for one in where.names.returns(function):
            classes = classes_of(reach, where, one.value, depth + 1) if one.value is not None else None
            if classes is None:
                return None
            found += classes
    return found if functions else None


def _stored(
    reach: "Reach", module: Module, attribute: ast.Attribute, depth: int
) -> list[tuple[Module, ast.expr | None]]:
    """What the class of an object gives one of its attributes."""
    held = attribute.value
    if isinstance(held, ast.Name) and held.id == "self":
        around = next((one for one in module.names.ancestors(attribute) if isinstance(one, ast.ClassDef)), None)
        owners = [reach.know(around, module), *reach.derived(around)] if around is not None else []
    else:
        owners = classes_of(reach, module, held, depth + 1) or []
    found: list[tuple[Module, ast.expr | None]] = []
    for owner in dict.fromkeys(one for each in owners for one in reach.bases(each)):
        found += [(reach.module_of(owner), one) for one in _attributes(owner).get(attribute.attr, ())]
    return found


@tree_cache
def _attributes(owner: ast.ClassDef) -> dict[str, list[ast.expr]]:
    """What a class assigns to the attributes of ``self``, by their names."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk(owner):
        if isinstance(node, ast.Assign):
            held = (one for one in node.targets if isinstance(one, ast.Attribute))
            for name in {one.attr for one in held if isinstance(one.value, ast.Name) and one.value.id == "self"}:
                found.setdefault(name, []).append(node.value)
    return found
