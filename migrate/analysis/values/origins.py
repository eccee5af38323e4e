"""Follows the values of a program back to their origins, in all of its files: which model, which file."""

import ast
from collections.abc import Hashable, Iterator
from functools import cached_property

from migrate.analysis.calls.given import given_values
from migrate.analysis.calls.objects import assigned_value, class_values, is_of_self, owners_of, stored_values
from migrate.analysis.calls.reach import LIBRARIES, FunctionNode, Reach
from migrate.analysis.program.defined_flags import FLAG_CALLS, Flag, flag_of_call
from migrate.analysis.program.links import star_owner
from migrate.analysis.source.arguments import defaults, literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import SEARCHES, additions, attribute_stores, name_of
from migrate.analysis.source.places import key_of
from migrate.analysis.source.scopes import Binding
from migrate.analysis.values.path_parts import PathParts
from migrate.analysis.values.spellings import possible_paths
from migrate.files.run_cache import tree_cache

_MOST_STEPS = 400
_MOST_CHOICES = 4
_ITEMS = {"items", "values"}  # of a dictionary
_READING_METHODS = {"read", "readline", "readlines"}
"""Functions that read the name of the latest file, which the program has written down."""
_LOOPS = ast.For | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
_TENSORS = {"input", "inputs", "output", "outputs"}
"""Attributes of any model that are no models."""


class Argument(int):
    """The index of a command-line argument."""


class Origins:
    """Follows values backwards, through variables, attributes, parameters and what functions return."""

    def __init__(self, reach: Reach) -> None:
        self.reach = reach

    @cached_property
    def flags(self) -> dict[str, Flag]:
        """The flags that the program defines, by the names under which it reads them."""
        calls = (call for name in FLAG_CALLS for call in self.reach.calls_of(name))
        defined = [(flag, self.reach.module_of(call)) for call in calls if (flag := flag_of_call(call)) is not None]
        for flag, module in defined:
            self.reach.note(flag.default or ast.Constant(None), module)
        return {flag.name: flag for flag, _ in defined}

    def of_model(self, module: Module, value: ast.expr) -> set[Hashable]:
        """Returns the variables of a model, and the calls that create it or its layers."""
        found: set[Hashable] = set()
        for where, one in self.follow(module, value, is_path=False):
            found |= self._variable_keys(where, one)
            if isinstance(one, ast.Call):
                found.add(self.reach.note(one, where))
        return found

    def of_paths(self, module: Module, value: ast.expr, depth: int = 0) -> list[PathParts]:
        """Returns the parts of each path that an expression may be; [] for None."""
        if isinstance(value, ast.Constant) and value.value is None:
            return []
        is_choice = isinstance(value, ast.IfExp | ast.Name | ast.Attribute) and depth < _MOST_CHOICES
        behind = self.behind(module, value, False) if is_choice else []
        found = [one for where, each in behind for one in self.of_paths(where, each, depth + 1)]
        return found if behind else [self._parts_of_path(module, value)]

    def _parts_of_path(self, module: Module, value: ast.expr) -> PathParts:
        found = PathParts(spelled=possible_paths(self.values, module, value))
        for where, one in self.follow(module, value, is_path=True):
            if isinstance(one, ast.Attribute | ast.Subscript | ast.Name):
                name = self._unknown(where, one)
                if name is not None:
                    found.unknown.add(name)
            elif isinstance(one, ast.Call):
                found.is_searched |= name_of(one.func) in SEARCHES | _READING_METHODS | {"walk"}
        return found

    def follow(self, module: Module, value: ast.expr, *, is_path: bool = True) -> Iterator[tuple[Module, ast.expr]]:
        """Yields an expression and everything that its value comes from, each with its file."""
        waiting: list[tuple[Module, ast.expr]] = [(module, value)]
        seen: set[ast.AST] = set()
        while waiting and len(seen) < _MOST_STEPS:
            where, one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            yield where, one
            waiting += self.behind(where, one, is_path)

    def values(self, module: Module, value: ast.expr) -> list[tuple[Module, ast.expr]]:
        """Returns the values of a variable or attribute, or what the functions of a call return."""
        return self._returned_values(module, value) if isinstance(value, ast.Call) else self.behind(module, value)

    @tree_cache
    def behind(self, module: Module, value: ast.expr, is_path: bool = True) -> list[tuple[Module, ast.expr]]:
        """Returns the expressions that a value comes from directly."""
        if isinstance(value, ast.Name):
            return self._name_values(module, value)
        if isinstance(value, ast.Attribute):
            flag = self.flags.get(value.attr) if is_path else None
            given = [flag.default] if flag is not None and flag.default is not None and literal(flag.default) else []
            return self._stored_values(module, value) or [(self.reach.module_of(one), one) for one in given]
        if isinstance(value, ast.IfExp):
            return [(module, value.body), (module, value.orelse)]
        if isinstance(value, ast.BoolOp | ast.Tuple | ast.List):
            return [(module, part) for part in (value.values if isinstance(value, ast.BoolOp) else value.elts)]
        if isinstance(value, ast.Subscript):
            is_setting = is_path and self._setting(module, value) is not None
            return self._item_values(module, value) if is_setting else [(module, value.value)]
        if isinstance(value, ast.Starred):
            return [(module, value.value)]
        if isinstance(value, ast.Call):
            return self._call_sources(module, value, is_path)
        if is_path and isinstance(value, ast.BinOp):
            return [(module, value.left), (module, value.right)]
        if is_path and isinstance(value, ast.JoinedStr):
            return [(module, p.value if isinstance(p, ast.FormattedValue) else p) for p in value.values]
        if is_path and isinstance(value, ast.ListComp | ast.GeneratorExp):
            return [(module, value.elt), *((module, one.iter) for one in value.generators)]
        return []

    def _call_sources(self, module: Module, call: ast.Call, is_path: bool) -> list[tuple[Module, ast.expr]]:
        if is_path and name_of(call.func) in ("range", "len"):
            return []  # numbers that the program counts
        found = self._returned_values(module, call)
        is_named = is_path or (not self.reach.functions(call) and "model" in name_of(call.func).lower())
        if is_named:
            found += [(module, one) for one in [*call.args, *(keyword.value for keyword in call.keywords)]]
        is_item = name_of(call.func) in _ITEMS
        if isinstance(call.func, ast.Attribute) and module.names.qualified(call.func) is None and (is_named or is_item):
            found.append((module, call.func.value))
        return found

    def _returned_values(self, module: Module, call: ast.Call) -> list[tuple[Module, ast.expr]]:
        self.reach.calls(module)
        functions = ((self.reach.module_of(one), one) for one in self.reach.functions(call))
        returns = ((where, one.value) for where, function in functions for one in where.names.returns(function))
        return [(where, value) for where, value in returns if value is not None]

    def _name_values(self, module: Module, name: ast.Name) -> list[tuple[Module, ast.expr]]:
        bindings = module.names.bindings(name)
        values: list[tuple[Module, ast.expr]] = []
        if not bindings and (owner := star_owner(self.reach.tree, module, name.id)) is not None:
            values += [(owner, one.value) for one in owner.names.top.bindings[name.id] if one.value is not None]
        for binding in bindings_before(module, bindings, name):
            if isinstance(binding.node, ast.arg):
                values += self._arguments(module, binding.node)
            elif binding.imported is not None:
                values += self._imported_values(module, binding.imported)
            else:
                value = _bound_value(module, binding, name.id)
                values += [(module, value)] if value is not None else []
        return values + [(module, one) for one in additions_to_list(module, name)]

    def _arguments(self, module: Module, parameter: ast.arg) -> list[tuple[Module, ast.expr]]:
        """Returns what calls give to a parameter, and its default; for ``self`` the calls that create its object."""
        function = module.names.scope_of(parameter).node
        if not isinstance(function, FunctionNode):
            return []
        if parameter.arg in ("self", "cls"):
            family = self.reach.family(module.names.class_around(function), module)
            return [(self.reach.module_of(call), call) for one in family for call in self.reach.calls_of(one.name)]
        default = defaults(function).get(parameter.arg)
        return given_values(self.reach, module, parameter) + ([(module, default)] if default is not None else [])

    def _stored_values(self, module: Module, attribute: ast.Attribute) -> list[tuple[Module, ast.expr]]:
        """Returns the values of an attribute; if its object is unknown, those of all attributes of this name."""
        if (dotted := module.names.qualified(attribute)) is not None:
            return self._imported_values(module, dotted)
        found = stored_values(self.reach, module, attribute)
        if is_of_self(attribute):
            return found
        beside = [one for one in attribute_stores(module.names, attribute.attr) if one.lineno < attribute.lineno]
        stores = [(module, one) for one in beside if ast.dump(one.value) == ast.dump(attribute.value)]  # net.model = …
        if not found and not stores:
            stores = self._self_stores(attribute.attr)
        return found + [(where, value) for where, one in stores if (value := assigned_value(where, one)) is not None]

    def _imported_values(self, module: Module, dotted: str) -> list[tuple[Module, ast.expr]]:
        """Returns the values of an imported name or class attribute: ``config.PATH``."""
        if found := self._bindings_of(module, dotted):
            return [(there, one.value) for there, one in found if one.value is not None]
        above, _, last = dotted.rpartition(".")
        kinds = [(there, one.node) for there, one in self._bindings_of(module, above)]
        each = [(there, kind) for there, kind in kinds if isinstance(kind, ast.ClassDef)]
        return [(there, value) for there, kind in each for value in class_values(there, kind, last)]

    def _bindings_of(self, module: Module, dotted: str) -> list[tuple[Module, Binding]]:
        there, top = self.reach.owner(module, dotted)
        return [(there, one) for one in there.names.top.bindings.get(top, [])] if there is not None else []

    def _variable_keys(self, module: Module, value: ast.expr) -> set[Hashable]:
        """Returns keys for a variable or attribute; an attribute has one for each class of its object."""
        if isinstance(value, ast.Name):
            return {key_of(module.names, value)} - {None}
        if not isinstance(value, ast.Attribute) or value.attr in _TENSORS or module.names.qualified(value):
            return set()
        own = {*owners_of(self.reach, module, value)}
        stored = {kind for where, one in self._self_stores(value.attr) for kind in owners_of(self.reach, where, one)}
        kinds = stored & own if own else stored
        return {(kind, value.attr) for kind in kinds} or {value.attr}

    def _self_stores(self, name: str) -> list[tuple[Module, ast.Attribute]]:
        """Returns the assignments to an attribute of ``self`` in the program."""
        stores = ((where, one) for where in self.reach.files_with(name) for one in attribute_stores(where.names, name))
        return [(where, one) for where, one in stores if isinstance(one.value, ast.Name) and one.value.id == "self"]

    def _item_values(self, module: Module, item: ast.Subscript) -> list[tuple[Module, ast.expr]]:
        """Returns the values of an item of dictionaries that the program contains as literals."""
        held = [(where, one) for where, one in self.behind(module, item.value) if isinstance(one, ast.Dict)]
        pairs = [(where, *pair) for where, one in held for pair in zip(one.keys, one.values, strict=True)]
        return [(where, value) for where, name, value in pairs if name and literal(name) == literal(item.slice)]

    def _setting(self, module: Module, item: ast.Subscript) -> Hashable | None:
        """Returns the string key of an item, or the index of ``sys.argv[2]``; None for any other item."""
        place = literal(item.slice)
        if isinstance(place, int) and module.names.qualified(item.value) == "sys.argv":
            return Argument(place)
        return place if isinstance(place, str) else None

    def _unknown(self, module: Module, value: ast.expr) -> Hashable | None:
        """Returns a key for a part of a path that no file of the program sets; None for any other part."""
        if self.behind(module, value):
            return None
        if isinstance(value, ast.Subscript):
            return self._setting(module, value)
        if isinstance(value, ast.Attribute):
            dotted = module.names.qualified(value)
            if any(isinstance(one.node, _LOOPS) for one in module.names.bindings(value.value)):
                return None  # of a loop variable: ``path.name``
            is_own = dotted is None or dotted.partition(".")[0] not in LIBRARIES or ".FLAGS." in dotted
            is_own |= dotted == "sys.argv"  # whatever the program reads from it
            return value.attr if is_own else None
        is_parameter = any(isinstance(one.node, ast.arg) for one in module.names.bindings(value))
        return key_of(module.names, value) if is_parameter and name_of(value) not in ("self", "cls") else None


def bindings_before(module: Module, bindings: list[Binding], name: ast.Name) -> list[Binding]:
    """Returns the bindings that a read of a variable may see, without those that are overwritten before."""
    names, scope = module.names, module.names.scope_of(name)
    if any(isinstance(one.node, ast.arg) or names.scope_of(one.node) is not scope for one in bindings):
        return bindings
    assigned = names.assignments_at(name, [one.node for one in bindings])
    found = [(names.statement_of(one.node), one) for one in bindings if one.node in assigned]
    above = [one for one, _ in found if isinstance(one, ast.Assign) and one.lineno < name.lineno]
    last = {id(names.block_of(one)): one.lineno for one in above}  # earlier ones in its block are overwritten
    return [one for at, one in found if at.lineno >= last.get(id(names.block_of(at)), 0)]


def additions_to_list(module: Module, name: ast.Name) -> list[ast.expr]:
    """Returns the values that a function adds to the list in a variable."""
    return additions(module.names).get((name.id, module.names.scope_of(name)), [])


def _bound_value(module: Module, binding: Binding, name: str) -> ast.expr | None:
    """Returns the value that a binding gives a variable; for one of several targets the whole value."""
    if binding.value is not None:
        return binding.value
    statement = binding.node if isinstance(binding.node, ast.stmt) else module.names.statement_of(binding.node)
    loops: list[ast.comprehension] = getattr(binding.node, "generators", [])
    for each in loops:
        if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(each.target)):
            return each.iter
    if isinstance(statement, ast.For):
        return statement.iter
    return statement.value if isinstance(statement, ast.Assign | ast.AugAssign) else None
