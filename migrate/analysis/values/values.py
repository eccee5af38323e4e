"""Finds every value that an expression may have."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from migrate.analysis.program.defined_flags import flags_without_value
from migrate.analysis.program.links import star_owner
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import defaults, is_none
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import MAX_STEPS, Names
from migrate.analysis.source.scopes import Binding, FunctionNode
from migrate.analysis.values.attributes import UncertainAttribute, method, values_of_attribute
from migrate.analysis.values.items import items
from migrate.analysis.values.uses import HiddenUse, argument_values
from migrate.files.trouble import Unreadable

_NUMERIC = {"abs", "max", "min", "np.ceil", "np.floor", "numpy.ceil", "numpy.floor"}
"""Functions that return a float for a float; nothing is assumed of others."""


class Unfollowable(Exception):
    """Raised for an expression that may not be a function; the message says why."""


class Value(NamedTuple):
    """One value that an expression may have, followed as far as possible.

    Attributes:
      module: the file of ``node``.
      node: an expression, a function, a parameter, or the statement that binds a name to something unknown.
      reason: why it cannot be followed further; "" for a value that is known.
    """

    module: Module
    node: ast.AST
    reason: str = ""


class Function(NamedTuple):
    module: Module
    node: FunctionNode


class Values:
    """Follows expressions to their values, and remembers what it finds: create one object for each question."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._condition_results: dict[ast.expr, bool | None] = {}
        self._functions: dict[ast.expr, list[Function] | str] = {}

    def of(self, module: Module, expression: ast.expr, depth: int = 0) -> list[Value]:
        """Returns every value that an expression may have, each once; at least one."""
        return [*self.iter_values(module, expression, depth)]

    def iter_values(self, module: Module, expression: ast.expr, depth: int = 0) -> Iterator[Value]:
        """Yields the values of ``of`` one by one, for callers that may stop early."""
        case = None
        for case in self._follow(module, expression, set(), depth):
            yield case
        if case is None:
            yield Value(module, expression, f"`{_short_source(expression)}` is computed from itself")

    def functions(self, module: Module, expression: ast.expr, depth: int = 0) -> list[Function]:
        """Returns the functions that an expression may evaluate to: several if branches or a loop assign them.

        Raises:
          Unfollowable: if it may not be a function.
        """
        known = self._functions.get(expression)
        if known is None:
            self._functions[expression] = f"`{_short_source(expression)}` is computed from itself"
            try:
                cases = self.of(module, expression, depth)
                known = [one for case in cases for one in self.functions_of(case, depth)]
            except Unfollowable as reason:
                known = str(reason)
            self._functions[expression] = known
        if isinstance(known, str):
            raise Unfollowable(known)
        return known

    def functions_of(self, case: Value, depth: int = 0) -> list[Function]:
        """Returns the functions of one value of an expression, as ``functions``."""
        if isinstance(case.node, FunctionNode):
            return [Function(case.module, case.node)]
        if _is_partial(case.module, case.node):
            return self.functions(case.module, case.node.args[0], depth + 1)  # type: ignore[attr-defined]
        raise Unfollowable(case.reason or f"`{_short_source(case.node)}` is not known to be a function")

    def is_none(self, module: Module, value: ast.expr | None) -> bool:
        """Whether a value is always None; ``None`` as ``value`` is a missing argument, which counts as None."""
        return value is None or all(map(_is_none, self.iter_values(module, value)))

    def may_be_fraction(self, module: Module, value: ast.expr) -> bool:
        """Whether a number may be a float or a quotient that is not rounded, and is never None.

        An Estimator rounds such a number of steps up; Keras and ``tf.data`` raise an error.
        """
        cases = self.of(module, value)
        return any(map(self._is_fraction, cases)) and not any(map(_may_be_none, cases))

    def _is_fraction(self, case: Value) -> bool:
        names, value = case.module.names, case.node
        if isinstance(value, ast.Constant):
            return isinstance(value.value, float)
        if isinstance(value, ast.BinOp):
            sides = (value.left, value.right)
            return isinstance(value.op, ast.Div) or any(self.may_be_fraction(case.module, side) for side in sides)
        if not isinstance(value, ast.Call):
            return False
        called = names.qualified(value.func) or ast.unparse(value.func)
        return called == "float" or (
            called in _NUMERIC and any(self.may_be_fraction(case.module, a) for a in value.args)
        )

    def _follow(self, module: Module, node: ast.AST, seen: set[ast.AST], depth: int) -> Iterator[Value]:
        """Yields the values of an expression or a parameter; a function is its own value."""
        if node in seen:  # its values are found at its first visit
            return
        seen.add(node)
        if depth > MAX_STEPS:
            yield Value(module, node, f"`{_short_source(node)}` is computed from itself")
            return
        for case in self._sources(module, node, depth + 1):
            if case.node is node or case.reason:
                yield case
            else:
                yield from self._follow(case.module, case.node, seen, depth + 1)

    def _sources(self, module: Module, node: ast.AST, depth: int) -> Iterator[Value]:
        """Yields what a value comes from directly; itself, or one with the reason, where it cannot be followed."""
        names = module.names
        if isinstance(node, ast.IfExp):
            known = self._condition_result(module, node.test, depth)
            for way in [node.body] if known else [node.orelse] if known is False else [node.body, node.orelse]:
                yield Value(module, way)
        elif isinstance(node, ast.Call) and not _is_partial(module, node):
            yield from self._results(module, node, depth)
        elif isinstance(node, ast.Name):
            bindings = names.bindings_at(node)
            owner = module if bindings else star_owner(self._tree, module, node.id)
            if owner is None:
                yield Value(module, node, f"`{node.id}` is not bound in this file")
                return
            for binding in bindings or owner.names.top.bindings[node.id]:
                if not self._never_runs(owner, binding.node, depth):
                    yield from self._bound_values(owner, node.id, binding, depth)
        elif isinstance(node, ast.Attribute):
            dotted = names.qualified(node)
            if dotted is not None:
                yield from self._imported_values(module, node, dotted, depth)
            else:
                yield from self._attribute_values(module, node)
        elif isinstance(node, ast.Subscript):
            place = node.slice.value if isinstance(node.slice, ast.Constant) else None
            is_part = isinstance(node.value, ast.Call) and isinstance(place, int)
            found = self._tuple_items(module, node.value, place, depth) if is_part else items(self._tree, module, node)  # type: ignore[arg-type]
            yield from _values_or_itself(found, Value(module, node))
        elif isinstance(node, ast.arg):
            try:
                yield from _values_or_itself(argument_values(self._tree, module, node), Value(module, node))
            except HiddenUse as reason:
                yield Value(module, node, str(reason))
        else:
            yield Value(module, node)

    def _attribute_values(self, module: Module, node: ast.Attribute) -> list[Value]:
        """Returns the method that an attribute is, or the values that are assigned to it."""
        try:
            return [Value(*method(self._tree, module, node))]
        except UncertainAttribute as reason:
            return _values_or_itself(values_of_attribute(self._tree, module, node), Value(module, node, str(reason)))

    def _bound_values(self, module: Module, name: str, binding: Binding, depth: int) -> Iterator[Value]:
        """Yields what one binding of a name binds it to."""
        node = binding.node
        if binding.value is not None:
            yield Value(module, binding.value)
        elif binding.imported is not None:
            yield from self._imported_values(module, node, binding.imported, depth)
        elif isinstance(node, FunctionNode | ast.arg):
            yield Value(module, node)
        else:
            line = getattr(node, "lineno", 0)
            unseen = f"`{name}` is not known to be a function ({module.path}, line {line})"
            yield from _values_or_itself(self._unpacked_values(module, name, node, depth), Value(module, node, unseen))

    def _unpacked_values(self, module: Module, name: str, target: ast.AST, depth: int) -> list[tuple[Module, ast.expr]]:
        """Returns the values that ``a, b = f()`` assigns to one of its names; [] if they are unknown."""
        statement = module.names.parents.get(target)
        if not isinstance(target, ast.Tuple | ast.List) or not isinstance(statement, ast.Assign):
            return []
        if any(isinstance(one, ast.Starred) for one in target.elts):
            return []
        place = next(at for at, one in enumerate(target.elts) if getattr(one, "id", "") == name)
        return self._tuple_items(module, statement.value, place, depth)

    def _tuple_items(self, module: Module, value: ast.expr, place: int, depth: int) -> list[tuple[Module, ast.expr]]:
        """Returns the item at ``place`` of each tuple that an expression may be; [] if it may be anything else."""
        cases = self.of(module, value, depth + 1) if depth <= MAX_STEPS else []
        given = [(case.module, case.node.elts) for case in cases if isinstance(case.node, ast.Tuple | ast.List)]
        is_plain = not any(isinstance(one, ast.Starred) for _, parts in given for one in parts)
        is_each = len(given) == len(cases) and all(0 <= place < len(parts) for _, parts in given)
        return [(where, parts[place]) for where, parts in given] if is_each and is_plain else []

    def _imported_values(self, module: Module, node: ast.AST, dotted: str, depth: int) -> Iterator[Value]:
        """Yields what an imported name is bound to."""
        found = self._tree.target(module, dotted)
        if found is None:
            yield Value(module, node, f"`{dotted}` is in no file of the tree")
            return
        try:
            other = self._tree.module(found.path)
        except Unreadable as problem:
            yield Value(module, node, f"{self._tree.name(found.path)} {problem.finding.message}")
            return
        bindings = other.names.top.bindings.get(found.names[0], []) if len(found.names) == 1 else []
        if not bindings or depth > MAX_STEPS:
            yield Value(module, node, f"`{dotted}` is no function of {other.path}")
        for binding in bindings if depth <= MAX_STEPS else ():
            yield from self._bound_values(other, found.names[0], binding, depth + 1)

    def _results(self, module: Module, call: ast.Call, depth: int) -> Iterator[Value]:
        """Yields what a call returns; the call itself if it is not of the user's functions."""
        try:
            functions = self.functions(module, call.func, depth)
        except Unfollowable as reason:
            yield from _values_or_itself(items(self._tree, module, call), Value(module, call, str(reason)))
            return
        for called in functions:
            if isinstance(called.node, ast.Lambda):
                yield Value(called.module, called.node.body)
                continue
            returns = called.module.names.returns(called.node)
            values = [one.value for one in returns if one.value is not None]
            is_plain = isinstance(called.node, ast.FunctionDef) and called.node not in called.module.names.generators
            if is_plain and returns and len(values) == len(returns):
                yield from (Value(called.module, value) for value in values)
            else:
                yield Value(module, call, f"`{_short_source(call.func)}` does not end in the function that it returns")

    def _never_runs(self, module: Module, statement: ast.AST, depth: int) -> bool:
        """Whether a statement is in a branch of an ``if`` that is known never to run."""
        inner = statement
        for around in module.names.ancestors(statement) if isinstance(statement, ast.stmt) else ():
            if isinstance(around, FunctionNode | ast.ClassDef):
                return False
            if isinstance(around, ast.If):
                known = self._condition_result(module, around.test, depth)
                if (known is False and inner in around.body) or (known is True and inner in around.orelse):
                    return True
            inner = around
        return False

    def _condition_result(self, module: Module, test: ast.expr, depth: int) -> bool | None:
        """Returns the result of a condition on None; None if it is unknown."""
        if test not in self._condition_results:
            self._condition_results[test] = None  # a condition that depends on itself is unknown
            self._condition_results[test] = self._evaluate(module, test, depth)
        return self._condition_results[test]

    def _evaluate(self, module: Module, test: ast.expr, depth: int) -> bool | None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._condition_result(module, test.operand, depth)
            return None if inner is None else not inner
        is_compared = isinstance(test, ast.Compare) and len(test.ops) == 1 and is_none(test.comparators[0])
        asked = test.left if is_compared else test  # type: ignore[attr-defined]
        if not all(map(_is_none, self.iter_values(module, asked, depth))):
            return None
        operation = test.ops[0] if is_compared else None  # type: ignore[attr-defined]
        return isinstance(operation, ast.Is) if not is_compared or isinstance(operation, ast.Is | ast.IsNot) else None


def _values_or_itself(found: list[tuple[Module, ast.expr]], itself: Value) -> list[Value]:
    """Returns the given values as a list; the expression itself if none is given."""
    return [Value(*one) for one in found] or [itself]


def _is_partial(module: Module, node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and bool(node.args)
    return is_call and module.names.qualified(node.func) == "functools.partial"  # type: ignore[attr-defined]


def _is_none(case: Value) -> bool:
    return isinstance(case.node, ast.Constant) and case.node.value is None


def _may_be_none(case: Value) -> bool:
    """Whether a value from outside the program may be None: a flag, setting or parameter without a value."""
    node = case.node
    if isinstance(node, ast.arg):
        default = defaults(case.module.names.scope_of(node).node).get(node.arg, node)  # type: ignore[arg-type]
        return isinstance(default, ast.expr) and is_none(default)
    if isinstance(node, ast.Call):
        is_get = isinstance(node.func, ast.Attribute) and node.func.attr == "get" and not node.keywords
        return is_get and bool(node.args) and is_none(node.args[1] if len(node.args) > 1 else None)
    if isinstance(node, ast.Attribute):
        return node.attr in flags_without_value(case.module.names)
    return _is_none(case)


def _short_source(node: ast.AST) -> str:
    return ast.unparse(node)[:60]


def iter_parts(names: Names, value: ast.expr) -> Iterator[ast.AST]:
    """Yields the nodes of an expression, and of every value assigned to its variables; each node once."""
    seen, waiting = set[ast.AST](), list[ast.AST]([value])
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting += [binding.value for binding in names.bindings(node) if binding.value is not None]
            waiting += ast.iter_child_nodes(node)
