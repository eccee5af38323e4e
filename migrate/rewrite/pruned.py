"""Emitted definitions without what the programs that use them cannot reach.

Arguments that nobody gives have their defaults, attributes that are set to one constant have it, and whatever follows
from that is worked out: conditions that are settled, branches that are never taken, functions that nobody calls.
"""

import ast
import copy
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from migrate.rewrite.used import ALL, Usage

_Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class _Known:
    """The value of an expression, the same in every run."""

    value: object


_ANY = None
"""Of an argument or attribute: its value is not known."""


@dataclass(eq=False)
class _Function:
    node: ast.FunctionDef
    owner: "_Class | None" = None
    parameters: list[str] = field(default_factory=list)
    given: dict[str, _Known | None] = field(default_factory=dict)
    known: dict[str, _Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arguments = self.node.args
        positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        self.positional = positional[1:] if self.owner and not _is_static(self.node) else positional
        self.parameters = [*self.positional, *(one.arg for one in arguments.kwonlyargs)]
        self.defaults: dict[str, ast.expr] = dict(
            zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)
        )
        self.defaults |= {
            one.arg: value
            for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if value is not None
        }
        self.stored = defaultdict[str, list[ast.expr | None]](list)
        self.loaded = set[str]()
        for node in ast.walk(self.node):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self.stored[node.id].append(None)
            elif isinstance(node, ast.Name):
                self.loaded.add(node.id)
            elif isinstance(node, ast.Nonlocal):
                self.stored |= {name: [None, None] for name in node.names}
            elif isinstance(node, ast.FunctionDef | ast.Lambda) and node is not self.node:
                inner = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                for one in inner:
                    self.stored[one.arg].append(None)
        for statement in ast.walk(self.node):
            for name, value in _pairs(statement):
                if isinstance(name, ast.Name) and len(self.stored[name.id]) == 1:
                    self.stored[name.id] = [value]


@dataclass(eq=False)
class _Class:
    node: ast.ClassDef
    bases: list["_Class"] = field(default_factory=list)
    derived: list["_Class"] = field(default_factory=list)
    is_open: bool = False  # TensorFlow calls its methods
    is_record: bool = False
    functions: dict[str, _Function] = field(default_factory=dict)

    def maker(self) -> "_Function | None":
        """What a call of the class calls."""
        for name in ("__new__", "__init__"):
            if name in self.functions:
                return self.functions[name]
        return next((maker for base in self.bases if (maker := base.maker())), None)


def pruned(source: str, usage: Usage) -> str:
    """The definitions of ``source`` that are used, each without what is not."""
    said = frozenset(re.findall(r"\w+", source))
    documented = frozenset(name for name in usage.documented if name.lstrip(".") in said)
    return _pruned(source, replace(usage, words=usage.words & said, documented=documented))


@lru_cache(maxsize=256)
def _pruned(source: str, usage: Usage) -> str:
    """As ``pruned``, once for all programs that use the same: their other words are their own."""
    return _Pruning(source, usage).text()


def _is_static(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in node.decorator_list)


def _pairs(statement: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment, each with its own value where that can be told."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            if not any(isinstance(one, ast.Starred) for one in (*target.elts, *value.elts)):
                yield from zip(target.elts, value.elts, strict=True)
        elif isinstance(target, ast.Name | ast.Attribute):
            yield target, value


def _is_pure(node: ast.expr) -> bool:
    """Whether nothing happens when an expression is worked out."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            if not (isinstance(inner.func, ast.Name) and inner.func.id in {"bool", "dict", "frozenset", "list", "set"}):
                return False
        elif isinstance(inner, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            return False
    return True


def _child_blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    return [*blocks, *(handler.body for handler in getattr(node, "handlers", []))]


class _Pruning:
    """One module's definitions: what is known of them, what is reached, and the text of that."""

    def __init__(self, source: str, usage: Usage) -> None:
        self.bytes = source.encode()
        self.tree, self.usage = ast.parse(source), usage
        self.starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.functions: dict[str, _Function] = {}
        self.classes: dict[str, _Class] = {}
        self.variables: dict[str, ast.stmt] = {}
        self.others: list[ast.stmt] = []
        for node in self.tree.body:
            self._enter(node)
        self._relate()
        self._note_attributes()
        self.gone_names: set[tuple[_Function, str]] = set()
        self.gone_attributes: set[str] = set()
        self.function: _Function | None = None
        self.cache: dict[int, _Known | None] = {}
        self.own_calls: dict[_Class, set[str]] = {}
        self._settle()
        self._sweep()

    def _enter(self, node: ast.stmt) -> None:
        if isinstance(node, ast.FunctionDef):
            self.functions[node.name] = _Function(node)
        elif isinstance(node, ast.ClassDef):
            self.classes[node.name] = _Class(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self.variables[node.targets[0].id] = node
        else:
            self.others.append(node)

    def _relate(self) -> None:
        for one in self.classes.values():
            for base in one.node.bases:
                if isinstance(base, ast.Name) and base.id in self.classes:
                    one.bases.append(self.classes[base.id])
                    self.classes[base.id].derived.append(one)
                    one.is_open |= self.classes[base.id].is_open  # bases come first
                    one.is_record |= self.classes[base.id].is_record
                elif isinstance(base, ast.Name) and base.id == "NamedTuple":
                    one.is_record = True
                else:
                    one.is_open = True
            for node in one.node.body:
                if isinstance(node, ast.FunctionDef):
                    one.functions[node.name] = _Function(node, one)

    def _note_attributes(self) -> None:
        """Finds, by attribute, the one place that sets it, and which are set or read in other ways."""
        self.sets = defaultdict[str, list[tuple[_Function | None, _Class, ast.expr]]](list)
        self.open_attributes: set[str] = set()  # set or read where nobody knows
        self.shared_attributes: set[str] = set()  # read of other objects than the class's own
        self.switches: set[str] = set()
        paired: set[int] = set()
        for one in self.classes.values():
            for node in one.node.body:
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self.sets[node.targets[0].id].append((None, one, node.value))
                    self.switches.add(node.targets[0].id)
                elif isinstance(node, ast.FunctionDef):
                    self.open_attributes.add(node.name)
            made = one.functions.get("__init__")
            for statement in made.node.body if made else ():
                for target, value in _pairs(statement):
                    if _is_own(target):
                        assert isinstance(target, ast.Attribute)
                        self.sets[target.attr].append((made, one, value))
                        paired.add(id(target))
        fields = defaultdict[str, list[_Class]](list)
        for one in self.classes.values():
            if one.is_record:
                for node in one.node.body:
                    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                        fields[node.target.id].append(one)
        self.fields = {name: owners[0] for name, owners in fields.items() if len(owners) == 1 and name not in self.sets}
        private = {name for name in self.sets if name.startswith("_")}
        self.loaded = loaded = set[str]()
        for found in ast.walk(self.tree):
            if isinstance(found, ast.Attribute):
                loaded |= {found.attr} if isinstance(found.ctx, ast.Load) else set()
                self.shared_attributes |= set() if _is_own(found) else {found.attr}
                is_set = not isinstance(found.ctx, ast.Load) and id(found) not in paired
                if is_set or (not _is_own(found) and found.attr not in self.switches | private):
                    self.open_attributes.add(found.attr)
        # What a base of TensorFlow's may read.
        self.open_attributes |= {
            name
            for name, places in self.sets.items()
            if any(one.is_open for _, one, _ in places) and (not name.startswith("_") or name not in loaded)
        }
        asked = {node.value for node in ast.walk(self.tree) if isinstance(node, ast.Constant)} | self.usage.words
        self.open_attributes |= {name for name in asked if isinstance(name, str) and not name.startswith("_")}
        if {"_asdict", "_fields", "_replace"} & (asked | loaded):
            self.fields = {}
        self.fields = {name: owner for name, owner in self.fields.items() if name not in asked}

    # What is known

    def _settle(self) -> None:
        """Works out which arguments always have one value, and what is reached with that."""
        while True:
            self.changed = False
            self._walk_all()
            unmade = {name for name, owner in self.fields.items() if owner not in self.reached}
            if not self.changed and not unmade:
                return
            if not self.changed:  # such records come from elsewhere
                self.fields = {name: owner for name, owner in self.fields.items() if name not in unmade}

    def _sweep(self) -> None:
        """Takes away what is set and never read, as long as there is such a thing."""
        self.is_settled = True
        while True:
            names, attributes = len(self.gone_names), len(self.gone_attributes)
            for function in self.reached_functions:
                own = {*function.parameters, *function.stored}
                unread = (own & function.loaded) - self.reads[function]
                unread -= self._kept_parameters(function)
                self.gone_names |= {(function, name) for name in unread}
            never_set_here = self.open_attributes | self.usage.words
            self.gone_attributes |= (self.sets.keys() & self.loaded) - never_set_here - self.read_attributes
            if (names, attributes) == (len(self.gone_names), len(self.gone_attributes)):
                return
            self._walk_all()

    def _kept_parameters(self, function: _Function) -> set[str]:
        """Arguments that callers give whom nobody sees."""
        return {name for name in function.parameters if name in self.fixed[function]}

    is_settled = False

    def _walk_all(self) -> None:
        self.cache.clear()
        self.empty: dict[_Function, bool] = {}
        self.reached: set[object] = set()
        self.reached_functions: list[_Function] = []
        self.reads = defaultdict[_Function | None, set[str]](set)
        self.read_attributes: set[str] = set()
        self.fixed = getattr(self, "fixed", None) or defaultdict[_Function, set[str]](set)
        self.queue: list[object] = []
        for name in sorted(self.usage.names):
            given = {argument for one, argument in self.usage.arguments if one == name}
            self._reach(name)
            self._enter_from_outside(name, given)
        while True:
            while self.queue:
                self._walk(self.queue.pop())
            self._reach_methods()
            self._reach_statements()
            if not self.queue:
                return

    def _enter_from_outside(self, name: str, given: set[str | int]) -> None:
        function = self.functions.get(name)
        one = self.classes.get(name)
        if one is not None:
            function = one.maker()
            if one.is_record and function is None:
                self._enter_record(one, given)
            for method in self._all_methods(one) if ALL in given else ():
                self._join_all(method)
        if function is None:
            return
        for position, parameter in enumerate(function.parameters):
            if ALL in given or parameter in given or (position in given and parameter in function.positional):
                self._join(function, parameter, _ANY)
                self.fixed[function].add(parameter)
            elif parameter in function.defaults:
                self._join(function, parameter, self.value_in(None, function.defaults[parameter]))
            else:
                self._join(function, parameter, _ANY)
                self.fixed[function].add(parameter)

    def _enter_record(self, one: _Class, given: set[str | int]) -> None:
        fields = [node.target for node in one.node.body if isinstance(node, ast.AnnAssign)]
        for position, node in enumerate(fields):
            name = node.id if isinstance(node, ast.Name) else ""
            is_given = ALL in given or name in given or position in given
            if is_given and self.fields.pop(name, None) is not None:
                self.changed = True
                self.cache.clear()

    def _all_methods(self, one: _Class) -> Iterator[_Function]:
        yield from one.functions.values()
        for base in one.bases:
            yield from self._all_methods(base)

    def _join_all(self, function: _Function) -> None:
        for parameter in function.parameters:
            self._join(function, parameter, _ANY)
            self.fixed[function].add(parameter)

    def _join(self, function: _Function, parameter: str, value: _Known | None) -> None:
        is_new = parameter not in function.given
        before = function.given.get(parameter, _ANY)
        after = value if is_new or _same(before, value) else _ANY
        if is_new or not _same(before, after):
            function.given[parameter] = after
            self.changed = True
            self.cache.clear()

    def _reach(self, name: str) -> None:
        found = self.functions.get(name) or self.classes.get(name) or self.variables.get(name)
        if found is not None and found not in self.reached:
            self.reached.add(found)
            self.queue.append(found)

    def _reach_function(self, function: _Function) -> None:
        if function not in self.reached:
            self.reached.add(function)
            self.queue.append(function)

    def _reach_methods(self) -> None:
        for one in self.classes.values():
            if one in self.reached:
                for name, function in one.functions.items():
                    if self._is_called(one, name):
                        self._reach_function(function)

    def _is_called(self, one: _Class, name: str) -> bool:
        """Whether a method may be called; whoever has the object, TensorFlow too, may call what is public."""
        if not name.startswith("_") or name.startswith("__") or name in self.read_attributes:
            return True
        return name in self.usage.words or (one.is_open and name not in self._own_calls(one))

    def _own_calls(self, one: _Class) -> set[str]:
        if one not in self.own_calls:
            self.own_calls[one] = {node.attr for node in ast.walk(one.node) if isinstance(node, ast.Attribute)}
        return self.own_calls[one]

    def _below(self, one: _Class) -> Iterator[_Class]:
        for other in one.derived:
            yield other
            yield from self._below(other)

    def _reach_statements(self) -> None:
        for node in self.others:
            if node not in self.reached and self._is_reached_statement(node):
                self.reached.add(node)
                self.queue.append(node)

    def _is_reached_statement(self, node: ast.stmt) -> bool:
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
            owner = node.targets[0].value
            return isinstance(owner, ast.Name) and self.classes.get(owner.id) in self.reached
        return bool(names) or True

    # Walking what is reached

    def _walk(self, found: object) -> None:
        if isinstance(found, _Function):
            self.reached_functions.append(found)
            if found.owner is not None and not self._is_own_method(found):
                self._join_all(found)
            self.function = found
            for value in (*found.node.args.defaults, *(v for v in found.node.args.kw_defaults if v is not None)):
                self._see(value)
            for decorator in found.node.decorator_list:
                self._see(decorator)
            self._walk_block(found.node.body)
            self.function = None
        elif isinstance(found, _Class):
            for base in found.node.bases:
                self._see(base)
            for node in found.node.body:
                if not isinstance(node, ast.FunctionDef):
                    for child in ast.iter_child_nodes(node):
                        if isinstance(child, ast.expr):
                            self._see(child)
            if maker := found.functions.get("__init__") or found.functions.get("__new__"):
                self._reach_function(maker)
        elif isinstance(found, ast.stmt):
            for child in ast.iter_child_nodes(found):
                if isinstance(child, ast.expr):
                    self._see(child)

    def _is_own_method(self, function: _Function) -> bool:
        """Whether nothing but the class itself calls a method."""
        assert function.owner is not None
        name = function.node.name
        if name == "__init__":
            return True
        return name.startswith("_") and not name.startswith("__") and name in self._own_calls(function.owner)

    def _walk_block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            if not self.is_gone(statement):
                self._walk_statement(statement)
            if self.ends(statement):
                return

    def _walk_statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            settled = self.truth(node.test)
            if settled is None:
                self._see(node.test)
            if settled is not False:
                self._walk_block(node.body)
            if settled is not True:
                self._walk_block(node.orelse)
            return
        if pairs := list(_pairs(node)):
            for target, value in pairs:
                if not self._is_gone_target(target, value):
                    self._see(value)
                    if isinstance(target, ast.Attribute):
                        self._see(target.value)
            return
        if isinstance(node, ast.FunctionDef):
            for value in (*node.args.defaults, *(v for v in node.args.kw_defaults if v is not None)):
                self._see(value)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._see(child)
            elif isinstance(child, ast.withitem):
                self._see(child.context_expr)
            elif isinstance(child, ast.ExceptHandler) and child.type is not None:
                self._see(child.type)
        for block in _child_blocks(node):
            self._walk_block(block)

    def ends(self, node: ast.stmt) -> bool:
        """Whether nothing behind a statement is reached."""
        if isinstance(node, ast.If):
            settled = self.truth(node.test)
            if settled is None:
                return False
            return any(self.ends(one) for one in (node.body if settled else node.orelse))
        return isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break)

    def live(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        """The statements of a block that stay."""
        found = []
        for statement in statements:
            if not self.is_gone(statement):
                found.append(statement)
            if self.ends(statement):
                break
        return found

    def is_gone(self, node: ast.stmt) -> bool:
        """Whether nothing is left of a statement."""
        if isinstance(node, ast.If):
            settled = self.truth(node.test)
            if settled is not None:
                return not self.live(node.body if settled else node.orelse)
            return not self.live(node.body) and not self.live(node.orelse) and _is_pure(node.test)
        if isinstance(node, ast.For):
            known = self.value(node.iter)
            return known is not None and not known.value and isinstance(known.value, tuple | dict | list)
        if isinstance(node, ast.With):
            return not self.live(node.body)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self._does_nothing(node.value)
        pairs = list(_pairs(node))
        return bool(pairs) and all(self._is_gone_target(target, value) for target, value in pairs)

    def _is_gone_target(self, target: ast.expr, value: ast.expr) -> bool:
        function = self.function
        if isinstance(target, ast.Name) and function is not None:
            if self.value(target) is not None:
                return True
            return (function, target.id) in self.gone_names and _is_pure(value)
        if isinstance(target, ast.Attribute) and _is_own(target):
            if self._attribute(target) is not None:
                return True
            return target.attr in self.gone_attributes and _is_pure(value)
        return False

    def _does_nothing(self, call: ast.Call) -> bool:
        if not all(_is_pure(one) for one in (*call.args, *(keyword.value for keyword in call.keywords))):
            return False
        found = list(self._called(call))
        if len(found) != 1 or not isinstance(call.func, ast.Name | ast.Attribute):
            return False
        if isinstance(call.func, ast.Attribute) and not _is_own(call.func):
            return False
        (function,) = found
        if function.node.name.startswith("__"):
            return False
        if function.owner is not None and (function.owner.derived or function.owner.is_open):
            return False
        if function not in self.empty:
            self.empty[function] = False  # where it calls itself
            before, self.function = self.function, function
            self.empty[function] = not [
                one
                for one in self.live(function.node.body)
                if not isinstance(one, ast.Pass)
                and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
                and not (isinstance(one, ast.Return) and one.value is None)
            ]
            self.function = before
        return self.empty[function]

    # Expressions

    def _see(self, node: ast.expr, is_called: bool = False) -> None:
        """Notes what an expression reads and calls, where that is not known already."""
        if self.value(node) is not None:
            return
        if isinstance(node, ast.IfExp) and (settled := self.truth(node.test)) is not None:
            self._see(node.body if settled else node.orelse)
        elif isinstance(node, ast.BoolOp):
            for one in self._operands(node):
                self._see(one)
        elif isinstance(node, ast.Name):
            if self.function is not None:
                self.reads[self.function].add(node.id)
            self._reach(node.id)
            if not is_called and isinstance(node.ctx, ast.Load):
                self._take_as_value(node.id)
        elif isinstance(node, ast.Attribute):
            self.read_attributes.add(node.attr)
            if not is_called:
                for function in self._methods(node.attr):
                    self._join_all(function)
            self._see(node.value)
        elif isinstance(node, ast.Call):
            self._see_call(node)
        else:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                self.read_attributes.add(node.value)
                for function in self._methods(node.value):
                    self._join_all(function)
            for child in ast.iter_child_nodes(node):
                self._see_child(child)

    def _see_child(self, child: ast.AST) -> None:
        if isinstance(child, ast.expr):
            self._see(child)
        else:
            for inner in ast.iter_child_nodes(child):
                self._see_child(inner)

    def _take_as_value(self, name: str) -> None:
        if name in self.functions:
            self._join_all(self.functions[name])
        elif name in self.classes and (maker := self.classes[name].maker()):
            self._join_all(maker)
        elif name in self.classes:
            self._enter_record(self.classes[name], {ALL})

    def _see_call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
            self._see(node.args[0])
            for inner in ast.walk(node.args[1]):
                if isinstance(inner, ast.Name):
                    self._reach(inner.id)
                elif isinstance(inner, ast.Attribute):
                    self.read_attributes.add(inner.attr)
            return
        self._see(node.func, is_called=True)
        one = self.classes.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if one is not None and one.is_record and not one.maker():
            self._enter_record(one, _given(node))
        functions = list(self._called(node))
        for function in functions:
            self._bind(function, node)
        dropped = self.dropped_arguments(node)
        for value in (*node.args, *(keyword.value for keyword in node.keywords)):
            if value not in dropped:
                self._see(value)

    def _called(self, node: ast.Call) -> Iterator[_Function]:
        """The functions that a call may call."""
        if isinstance(node.func, ast.Name):
            if node.func.id in self.functions:
                yield self.functions[node.func.id]
            elif node.func.id in self.classes and (maker := self.classes[node.func.id].maker()):
                yield maker
        elif isinstance(node.func, ast.Attribute):
            if node.func.attr in ("__init__", "__new__") and self.function and self.function.owner:
                for base in self.function.owner.bases:
                    if maker := base.maker():
                        yield maker
            else:
                yield from self._methods(node.func.attr)

    def _methods(self, name: str) -> Iterator[_Function]:
        for one in self.classes.values():
            if name in one.functions:
                yield one.functions[name]

    def _bind(self, function: _Function, node: ast.Call) -> None:
        given = self.bound(function, node)
        if given is None:
            self._join_all(function)
            return
        for parameter in function.parameters:
            if parameter in given:
                self._join(function, parameter, self.value(given[parameter]))
            elif parameter in function.defaults:
                self._join(function, parameter, self.value_in(None, function.defaults[parameter]))
            else:
                self._join(function, parameter, _ANY)

    def bound(self, function: _Function, node: ast.Call) -> dict[str, ast.expr] | None:
        """The arguments of a call by the names of a function's parameters; None where they cannot be told."""
        if any(isinstance(one, ast.Starred) for one in node.args) or any(k.arg is None for k in node.keywords):
            return None
        arguments = node.args[1:] if isinstance(node.func, ast.Attribute) and node.func.attr == "__new__" else node.args
        if len(arguments) > len(function.positional) or function.node.args.vararg:
            return None
        given = dict(zip(function.positional, arguments, strict=False))
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        return given

    def drops(self, function: _Function, parameter: str) -> bool:
        """Whether a parameter is no longer there."""
        if parameter in self.fixed[function] or not self.is_settled:
            return False
        if function.owner is not None and (self._is_overridden(function) or self._shares_name(function)):
            return False
        if function.owner is not None and not self._is_own_method(function):
            return False
        known = function.given.get(parameter, _ANY) is not None and len(function.stored.get(parameter, ())) == 0
        return known or (function, parameter) in self.gone_names

    def _is_overridden(self, function: _Function) -> bool:
        assert function.owner is not None
        name = function.node.name
        if name == "__init__":
            return False
        above = [base for base in function.owner.bases if any(name == f.node.name for f in self._all_methods(base))]
        return bool(above) or any(name in one.functions for one in self._below(function.owner))

    def _shares_name(self, function: _Function) -> bool:
        name = function.node.name
        return name != "__init__" and len(list(self._methods(name))) > 1

    def dropped_arguments(self, node: ast.Call) -> set[ast.expr]:
        """The values that a call no longer gives."""
        dropped: set[ast.expr] = set()
        for function in self._called(node):
            given = self.bound(function, node)
            if given is None:
                continue
            dropped |= {
                value for name, value in given.items() if name in function.parameters and self.drops(function, name)
            }
        return {value for value in dropped if self.value(value) is not None or _is_pure(value)}

    def _operands(self, node: ast.BoolOp) -> list[ast.expr]:
        """The operands that still count."""
        found = []
        for one in node.values:
            settled = self.truth(one)
            if settled is None or one is node.values[-1]:
                found.append(one)
            if settled is isinstance(node.op, ast.Or):  # it ends here
                return found if one in found else [*found, one]
        return found

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition holds; None where that is not known."""
        known = self.value(node)
        if known is not None:
            return bool(known.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            decides = isinstance(node.op, ast.Or)
            for one in node.values:
                if self.truth(one) is decides:
                    return decides
                if not _is_pure(one):
                    break
        return None

    def value_in(self, function: _Function | None, node: ast.expr) -> _Known | None:
        """What an expression of a function always is; None for the function stands for the module."""
        before, self.function = self.function, function
        try:
            return self.value(node)
        finally:
            self.function = before

    def value(self, node: ast.expr) -> _Known | None:
        """What an expression of the function at hand always is; None where that is not known."""
        key = id(node)
        if key not in self.cache:
            self.cache[key] = None  # where it needs itself
            self.cache[key] = self._value(node)
        return self.cache[key]

    def _value(self, node: ast.expr) -> _Known | None:
        if isinstance(node, ast.Constant):
            return _Known(node.value) if not isinstance(node.value, str | bytes) else None
        if isinstance(node, ast.Tuple) and not node.elts and isinstance(node.ctx, ast.Load):
            return _Known(())
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            return self._attribute(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.value(node.operand)
            return None if inner is None else _Known(not inner.value)
        if isinstance(node, ast.IfExp) and (settled := self.truth(node.test)) is not None:
            return self.value(node.body if settled else node.orelse)
        if isinstance(node, ast.BoolOp):
            operands = self._operands(node)
            return self.value(operands[0]) if len(operands) == 1 else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bool":
            settled = self.truth(node.args[0])
            return None if settled is None else _Known(settled)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self.value(node.left), self.value(node.comparators[0])
            if left is not None and right is not None:
                if isinstance(node.ops[0], ast.Is | ast.IsNot):
                    return _Known((left.value is right.value) is isinstance(node.ops[0], ast.Is))
                if isinstance(node.ops[0], ast.Eq | ast.NotEq):
                    return _Known((left.value == right.value) is isinstance(node.ops[0], ast.Eq))
        return None

    def _name(self, name: str) -> _Known | None:
        function = self.function
        if function is None:
            return None
        stored = function.stored.get(name, [])
        if name in function.parameters:
            return function.given.get(name, _ANY) if not stored else None
        if len(stored) == 1 and stored[0] is not None and not isinstance(stored[0], ast.Constant):
            return self.value(stored[0])
        if len(stored) == 1 and isinstance(stored[0], ast.Constant) and stored[0].value is None:
            return None
        return None

    def _attribute(self, node: ast.Attribute) -> _Known | None:
        name = node.attr
        if name in self.fields and not (isinstance(node.value, ast.Name) and node.value.id in ("tf", "tf1")):
            owner = self.fields[name]
            value = next(
                one.value
                for one in owner.node.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == name
            )
            return self.value_in(None, value) if value is not None else None
        places = self._places(node)
        known = self.value_in(places[0][0], places[0][2]) if len(places) == 1 else None
        # A number is read better by its name.
        return known if known and (known.value in (None, ()) or isinstance(known.value, bool)) else None

    def _is_switch(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, bool))

    def _places(self, node: ast.Attribute) -> list[tuple[_Function | None, _Class, ast.expr]]:
        """Where the attribute is set that a node names; nothing where somebody else may set it, too."""
        places = [] if node.attr in self.open_attributes else self.sets.get(node.attr, [])
        owner = self.function.owner if self.function else None
        if owner is not None and _is_own(node) and node.attr not in self.shared_attributes:
            family = {owner, *self._below(owner), *self._above(owner)}
            return [place for place in places if place[1] in family]
        return places

    def _above(self, one: _Class) -> Iterator[_Class]:
        for base in one.bases:
            yield base
            yield from self._above(base)

    # The text of what stays

    def text(self) -> str:
        """The definitions that are reached, in order."""
        found = []
        for node in self.tree.body:
            if self._stays(node):
                start, end = self._lines_of(node)
                edits = list(self._edits_of(node))
                written = self._render(start, end, edits)
                found.append((node, _formatted(written) if edits else written))
        text = ""
        for position, (node, written) in enumerate(found):
            both = position and isinstance(node, ast.Assign) and isinstance(found[position - 1][0], ast.Assign)
            text += ("" if not position else "\n" if both else "\n\n") + written.strip("\n") + "\n"
        return text

    def _stays(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.FunctionDef):
            return self.functions[node.name] in self.reached and not (
                node.name not in self.usage.names and self.empty.get(self.functions[node.name], False)
            )
        if isinstance(node, ast.ClassDef):
            return self.classes[node.name] in self.reached
        return node in self.reached

    def _at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def _range(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def _lines_of(self, node: ast.stmt) -> tuple[int, int]:
        """Where the lines of a statement begin and end, with the comments above it and its decorators."""
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        while first > 1 and self._line(first - 1).lstrip().startswith(b"#"):
            first -= 1
        assert node.end_lineno is not None
        return self.starts[first - 1], self.starts[node.end_lineno]

    def _line(self, number: int) -> bytes:
        return self.bytes[self.starts[number - 1] : self.starts[number]]

    def _render(self, start: int, end: int, edits: Iterable[tuple[int, int, str]]) -> str:
        text, at = "", start
        for first, last, new in sorted(edits):
            text += self.bytes[at:first].decode() + new
            at = last
        return text + self.bytes[at:end].decode()

    def _edits_of(self, node: ast.stmt) -> Iterator[tuple[int, int, str]]:
        """What changes inside of a statement that stays."""
        if isinstance(node, ast.ClassDef):
            yield from self._edits_of_class(node)
        elif isinstance(node, ast.FunctionDef):
            yield from self._edits_of_function(node)
        elif isinstance(node, ast.If):
            yield from self._edits_of_if(node)
        elif pairs := [] if _is_one_pair(node) else list(_pairs(node)):
            kept = [(target, value) for target, value in pairs if not self._is_gone_target(target, value)]
            if len(kept) == len(pairs):
                yield from self._edits_within(node)
            else:
                left = ", ".join(self.expression(target) for target, _ in kept)
                right = ", ".join(self.expression(value) for _, value in kept)
                yield *self._range(node), f"{left} = {right}"
        else:
            yield from self._edits_within(node)
            for block in _child_blocks(node):
                yield from self._edits_of_block(block)

    def _edits_within(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self._edits_of_expression(child)
            elif isinstance(child, ast.withitem | ast.keyword | ast.comprehension):
                yield from self._edits_within(child)
            elif isinstance(child, ast.ExceptHandler) and child.type is not None:
                yield from self._edits_of_expression(child.type)

    def _edits_of_block(self, statements: Sequence[ast.stmt]) -> Iterator[tuple[int, int, str]]:
        live = self.live(statements)
        for position, statement in enumerate(statements):
            if statement in live:
                settled = self.truth(statement.test) if isinstance(statement, ast.If) else None
                if settled is None:
                    yield from self._edits_of(statement)
                else:
                    assert isinstance(statement, ast.If)
                    yield *self._lines_of(statement), self._settled(statement, settled)
            else:
                start, end = self._lines_of(statement)
                left = not live and position == len(statements) - 1
                yield start, end, " " * statement.col_offset + "pass\n" if left else ""

    def _settled(self, node: ast.If, settled: bool) -> str:
        """What is left of a condition that is known; the lines, further to the left."""
        block = node.body if settled else node.orelse
        live = self.live(block)
        start, end = self._lines_of(block[0])[0], self._lines_of(block[-1])[1]
        if self._is_elif(block[0]):
            inner = block[0]
            assert isinstance(inner, ast.If)
            if (again := self.truth(inner.test)) is not None:
                return self._settled(inner, again)
            text = self._render(start, end, self._edits_of(inner))
            return text.replace("elif ", "if ", 1)
        text = self._render(start, end, self._edits_of_block(block))
        assert live
        margin = " " * (block[0].col_offset - node.col_offset)
        lines = text.splitlines(keepends=True)
        return "".join(line[len(margin) :] if line.startswith(margin) else line for line in lines)

    def _is_elif(self, node: ast.stmt) -> bool:
        start, _ = self._range(node)
        return isinstance(node, ast.If) and self.bytes[start : start + 4] == b"elif"

    def _edits_of_if(self, node: ast.If) -> Iterator[tuple[int, int, str]]:
        yield from self._edits_of_expression(node.test)
        yield from self._edits_of_block(node.body)
        if not node.orelse:
            return
        if not self.live(node.orelse):
            yield self._lines_of(node.body[-1])[1], self._lines_of(node.orelse[-1])[1], ""
            return
        first, *_ = node.orelse
        if not self._is_elif(first):
            yield from self._edits_of_block(node.orelse)
            return
        assert isinstance(first, ast.If)
        settled = self.truth(first.test)
        if settled is None:
            yield from self._edits_of(first)
            return
        text, indent = self._settled(first, settled), " " * node.col_offset
        if not settled and first.orelse and self._is_elif(first.orelse[0]):
            yield *self._lines_of(first), text.replace("if ", "elif ", 1)
        else:
            deeper = "".join("    " + line if line.strip() else line for line in text.splitlines(keepends=True))
            yield *self._lines_of(first), f"{indent}else:\n{deeper}"

    def _edits_of_class(self, node: ast.ClassDef) -> Iterator[tuple[int, int, str]]:
        one = self.classes[node.name]
        gone: list[ast.stmt] = []
        for child in node.body:
            if isinstance(child, ast.FunctionDef):
                function = one.functions[child.name]
                if function not in self.reached or self._is_left_out(function):
                    gone.append(child)
                else:
                    yield from self._edits_of_function(child)
            elif isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
                if self.fields.get(child.target.id) is one:
                    gone.append(child)
            elif isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Name):
                name = child.targets[0].id
                is_set_once = name not in self.open_attributes and len(self.sets[name]) == 1
                if is_set_once and (name in self.gone_attributes or self._is_switch(child.value)):
                    gone.append(child)
        for child in gone:
            yield *self._lines_of(child), ""
        names = {
            child.target.id for child in gone if isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name)
        }
        if maker := one.functions.get("__init__"):
            names |= {name for name in maker.parameters if self.drops(maker, name)}
            for statement in maker.node.body:
                before, self.function = self.function, maker
                names |= {
                    target.attr
                    for target, value in _pairs(statement)
                    if isinstance(target, ast.Attribute) and self._is_gone_target(target, value)
                }
                self.function = before
        yield from self._docstring(node, names, node.name in self.usage.documented)

    def _is_left_out(self, function: _Function) -> bool:
        return self.empty.get(function, False)

    def _edits_of_function(self, node: ast.FunctionDef) -> Iterator[tuple[int, int, str]]:
        function = self._function_of(node)
        before = self.function
        if function is None:  # one in another
            for default in (*node.args.defaults, *(v for v in node.args.kw_defaults if v is not None)):
                yield from self._edits_of_expression(default)
            yield from self._edits_of_block(node.body)
            return
        self.function = function
        dropped = {name for name in function.parameters if self.drops(function, name)}
        if dropped:
            line = self.starts[node.body[0].lineno - 1]
            while self._line(self.bytes[:line].count(b"\n")).lstrip().startswith(b"#"):
                line = self.starts[self.bytes[:line].count(b"\n") - 1]
            header = f"def {node.name}({ast.unparse(_without(node.args, dropped))}):\n"
            yield self._at(node.lineno, node.col_offset), line, header
        else:
            for default in (*node.args.defaults, *(v for v in node.args.kw_defaults if v is not None)):
                yield from self._edits_of_expression(default)
        has_docstring = ast.get_docstring(node) is not None
        yield from self._edits_of_block(node.body[1:] if has_docstring else node.body)
        if function.owner is None:
            is_documented = node.name in self.usage.documented
        else:
            is_documented = f".{node.name}" in self.usage.documented and not function.owner.node.name.startswith("_")
        yield from self._docstring(node, dropped, is_documented)
        self.function = before

    def _function_of(self, node: ast.FunctionDef) -> _Function | None:
        found = [*self.functions.values(), *(f for one in self.classes.values() for f in one.functions.values())]
        return next((function for function in found if function.node is node), None)

    def _docstring(self, node: _Definition, dropped: set[str], is_documented: bool) -> Iterator[tuple[int, int, str]]:
        if ast.get_docstring(node) is None:
            return
        start, end = self._range(node.body[0])
        before = self.bytes[start:end].decode()
        after = before if is_documented else _first_paragraph(before)
        if is_documented and dropped:
            after = _without_entries(before, dropped)
        if after != before:
            yield start, end, after

    def expression(self, node: ast.expr) -> str:
        """The text of an expression, without what is known of it."""
        start, end = self._range(node)
        return self._render(start, end, self._edits_of_expression(node))

    def _edits_of_expression(self, node: ast.expr) -> Iterator[tuple[int, int, str]]:
        if isinstance(node, ast.Constant) or isinstance(getattr(node, "ctx", None), ast.Store):
            return
        known = self.value(node)
        if known is not None:
            if not (isinstance(node, ast.Tuple) and not node.elts):
                yield *self._range(node), repr(known.value)
            return
        if isinstance(node, ast.JoinedStr):
            if any(self.value(one) is not None for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)):
                yield *self._range(node), ast.unparse(_Filled(self).visit(copy.deepcopy(node)))
            return
        if isinstance(node, ast.IfExp) and (settled := self.truth(node.test)) is not None:
            yield *self._range(node), self._in_parentheses(node.body if settled else node.orelse)
            return
        if isinstance(node, ast.BoolOp):
            operands = self._operands(node)
            if len(operands) < len(node.values):
                word = " or " if isinstance(node.op, ast.Or) else " and "
                yield *self._range(node), word.join(map(self._in_parentheses, operands))
                return
        if isinstance(node, ast.Call) and (dropped := self.dropped_arguments(node)):
            texts = [self.expression(value) for value in node.args if value not in dropped]
            for keyword in node.keywords:
                if keyword.value not in dropped:
                    value = self.expression(keyword.value)
                    texts.append(f"{keyword.arg}={value}" if keyword.arg else f"**{value}")
            yield *self._range(node), f"{self.expression(node.func)}({', '.join(texts)})"
            return
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            kept = [one for one in node.elts if not (isinstance(one, ast.Starred) and self._is_empty(one.value))]
            if len(kept) < len(node.elts) and isinstance(node, ast.List):
                yield *self._range(node), f"[{', '.join(map(self.expression, kept))}]"
                return
        yield from self._edits_within(node)

    def _is_empty(self, node: ast.expr) -> bool:
        known = self.value(node)
        return known is not None and known.value == ()

    def _in_parentheses(self, node: ast.expr) -> str:
        text = self.expression(node)
        loose = isinstance(node, ast.IfExp | ast.Lambda | ast.NamedExpr)
        if isinstance(node, ast.BoolOp):
            loose = len(self._operands(node)) > 1
        return f"({text})" if loose and self.value(node) is None else text


class _Filled(ast.NodeTransformer):
    """Puts what is known into a copied expression."""

    def __init__(self, pruning: _Pruning) -> None:
        self.pruning = pruning

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name | ast.Attribute):
            known = self.pruning._value(node)
            if known is not None:
                return ast.parse(repr(known.value), mode="eval").body
        return self.generic_visit(node)


def _is_one_pair(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Tuple)


def _without(arguments: ast.arguments, dropped: set[str]) -> ast.arguments:
    """A function's arguments without some of them."""
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults = [*missing, *arguments.defaults]
    kept = [(one, value) for one, value in zip(positional, defaults, strict=True) if one.arg not in dropped]
    named = list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    named = [(one, value) for one, value in named if one.arg not in dropped]
    return ast.arguments(
        posonlyargs=[],
        args=[one for one, _ in kept],
        vararg=arguments.vararg,
        kwonlyargs=[one for one, _ in named],
        kw_defaults=[value for _, value in named],
        kwarg=arguments.kwarg,
        defaults=[value for _, value in kept if value is not None],
    )


def _first_paragraph(docstring: str) -> str:
    text = docstring[3:-3].split("\n\n")[0].rstrip()
    indent = "\n    " if "\n" in text and text.endswith("\n") else ""
    return f'"""{text}{indent}"""'


_ENTRY = re.compile(r"( +)((?:\*{0,2}\w+)(?:, \*{0,2}\w+)*): ")


def _without_entries(docstring: str, dropped: set[str]) -> str:
    """A docstring without the entries of some arguments and attributes, and without sections that are empty then."""
    lines: list[str] = []
    skipped: int | None = None
    for line in docstring.split("\n"):
        depth = len(line) - len(line.lstrip())
        if skipped is not None and line.strip() and depth > skipped:
            continue
        skipped = None
        entry = _ENTRY.match(line)
        if entry and depth > 4:
            names = [name for name in entry[2].split(", ") if name not in dropped]
            if not names:
                skipped = depth
                continue
            line = line.replace(entry[2], ", ".join(names), 1)
        lines.append(line)
    text = "\n".join(lines)
    return re.sub(r"\n\n +(Args|Attributes):(?=\n\n|\n +\"\"\"$)", "", text)


@lru_cache(maxsize=4096)
def _formatted(definition: str) -> str:
    """A definition as black formats it, in as few lines as it takes."""
    # A run that writes nothing needs no black.
    import black
    from black.mode import TargetVersion

    from migrate.edits.format import LINE_LENGTH

    versions = {TargetVersion.PY39}
    mode = black.Mode(line_length=LINE_LENGTH, magic_trailing_comma=False, target_versions=versions)
    return black.format_str(definition, mode=mode)


def _given(node: ast.Call) -> set[str | int]:
    if any(isinstance(one, ast.Starred) for one in node.args):
        return {ALL}
    return {*range(len(node.args)), *(keyword.arg or ALL for keyword in node.keywords)}


def _same(one: _Known | None, other: _Known | None) -> bool:
    if one is None or other is None:
        return one is other
    return type(one.value) is type(other.value) and one.value == other.value


def _is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
