"""Finds every value that an expression may have."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from migrate.analysis.program.defined_flags import flags_without_value
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import defaults, is_none
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import MAX_STEPS, Names
from migrate.analysis.source.scopes import Binding, FunctionNode
from migrate.analysis.values.attributes import UncertainAttribute, method, values_of_attribute
from migrate.analysis.values.items import items
from migrate.analysis.values.uses import HiddenUse, argument_values, star_owner
from migrate.files.trouble import Unreadable

_NUMERIC = {"abs", "max", "min", "np.ceil", "np.floor", "numpy.ceil", "numpy.floor"}
"""Functions that return a float for a float; nothing is assumed of others."""


class Unfollowable(Exception):
    """Raised for an expression that may not be a function; the message says why."""


class End(NamedTuple):
    """One value that an expression may have, followed as far as possible.

    Attributes:
      module: the file of ``node``.
      node: an expression, a function, a parameter, or the statement that binds a name to something unknown.
      unseen: why it cannot be followed further; "" for a value that is known.
    """

    module: Module
    node: ast.AST
    unseen: str = ""


class Function(NamedTuple):
    module: Module
    node: FunctionNode


class Values:
    """Follows expressions to their values, and remembers what it finds: create one object for each question."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._condition_results: dict[ast.expr, bool | None] = {}
        self._functions: dict[ast.expr, list[Function] | str] = {}

    def ends(self, module: Module, expression: ast.expr, depth: int = 0) -> list[End]:
        """Returns every value that an expression may have, each once; at least one."""
        return [*self.iter_ends(module, expression, depth)]

    def iter_ends(self, module: Module, expression: ast.expr, depth: int = 0) -> Iterator[End]:
        """Yields the values of ``ends`` one by one, for callers that may stop early."""
        end = None
        for end in self._follow(module, expression, set(), depth):
            yield end
        if end is None:
            yield End(module, expression, f"`{_short_source(expression)}` is made from itself")

    def functions(self, module: Module, expression: ast.expr, depth: int = 0) -> list[Function]:
        """Returns the functions that an expression may evaluate to: several if branches or a loop assign them.

        Raises:
          Unfollowable: if it may not be a function.
        """
        known = self._functions.get(expression)
        if known is None:
            self._functions[expression] = f"`{_short_source(expression)}` is made from itself"
            try:
                ends = self.ends(module, expression, depth)
                known = [one for end in ends for one in self.functions_of(end, depth)]
            except Unfollowable as reason:
                known = str(reason)
            self._functions[expression] = known
        if isinstance(known, str):
            raise Unfollowable(known)
        return known

    def functions_of(self, end: End, depth: int = 0) -> list[Function]:
        """Returns the functions of one value of an expression, as ``functions``."""
        if isinstance(end.node, FunctionNode):
            return [Function(end.module, end.node)]
        if _is_partial(end.module, end.node):
            return self.functions(end.module, end.node.args[0], depth + 1)  # type: ignore[attr-defined]
        raise Unfollowable(end.unseen or f"`{_short_source(end.node)}` is not seen to be a function")

    def is_none(self, module: Module, value: ast.expr | None) -> bool:
        """Whether a value is always None; ``None`` as ``value`` is a missing argument, which counts as None."""
        return value is None or all(map(_is_none, self.iter_ends(module, value)))

    def may_be_fraction(self, module: Module, value: ast.expr) -> bool:
        """Whether a number may be a float or a quotient that is not rounded, and is never None.

        An Estimator rounds such a number of steps up; Keras and ``tf.data`` raise an error.
        """
        ends = self.ends(module, value)
        return any(map(self._is_fraction, ends)) and not any(map(_may_be_none, ends))

    def _is_fraction(self, end: End) -> bool:
        names, value = end.module.names, end.node
        if isinstance(value, ast.Constant):
            return isinstance(value.value, float)
        if isinstance(value, ast.BinOp):
            sides = (value.left, value.right)
            return isinstance(value.op, ast.Div) or any(self.may_be_fraction(end.module, side) for side in sides)
        if not isinstance(value, ast.Call):
            return False
        called = names.qualified(value.func) or ast.unparse(value.func)
        return called == "float" or (
            called in _NUMERIC and any(self.may_be_fraction(end.module, a) for a in value.args)
        )

    def _follow(self, module: Module, node: ast.expr, seen: set[ast.AST], depth: int) -> Iterator[End]:
        if node in seen:  # its values are found at its first visit
            return
        seen.add(node)
        names, inner = module.names, depth + 1
        if depth > MAX_STEPS:
            yield End(module, node, f"`{_short_source(node)}` is made from itself")
        elif isinstance(node, ast.IfExp):
            known = self._condition_result(module, node.test, inner)
            for way in [node.body] if known else [node.orelse] if known is False else [node.body, node.orelse]:
                yield from self._follow(module, way, seen, inner)
        elif isinstance(node, ast.Call) and not _is_partial(module, node):
            yield from self._follow_call(module, node, seen, inner)
        elif isinstance(node, ast.Name):
            bindings = names.bindings_at(node)
            owner = module if bindings else star_owner(self._tree, module, node.id)
            if owner is None:
                yield End(module, node, f"`{node.id}` is not bound in this file")
                return
            for binding in bindings or owner.names.top.bindings[node.id]:
                if not self._never_runs(owner, binding.node, inner):
                    yield from self._follow_binding(owner, node.id, binding, seen, inner)
        elif isinstance(node, ast.Attribute):
            dotted = names.qualified(node)
            if dotted is not None:
                yield from self._follow_import(module, node, dotted, seen, inner)
                return
            yield from self._follow_object(module, node, seen, inner)
        elif isinstance(node, ast.Subscript):
            place = node.slice.value if isinstance(node.slice, ast.Constant) else None
            is_part = isinstance(node.value, ast.Call) and isinstance(place, int)
            found = self._tuple_items(module, node.value, place, inner) if is_part else items(self._tree, module, node)  # type: ignore[arg-type]
            yield from self._follow_values(found, End(module, node), seen, inner)
        else:
            yield End(module, node)

    def _follow_object(self, module: Module, node: ast.Attribute, seen: set[ast.AST], depth: int) -> Iterator[End]:
        """Yields the method that an attribute is, or the values that are assigned to it."""
        try:
            yield End(*method(self._tree, module, node))
            return
        except UncertainAttribute as reason:
            itself = End(module, node, str(reason))
        yield from self._follow_values(values_of_attribute(self._tree, module, node), itself, seen, depth)

    def _follow_values(
        self, found: list[tuple[Module, ast.expr]], itself: End, seen: set[ast.AST], depth: int
    ) -> Iterator[End]:
        """Yields what the given values may be; the expression itself if none is given."""
        for where, value in found:
            yield from self._follow(where, value, seen, depth)
        if not found:
            yield itself

    def _follow_binding(
        self, module: Module, name: str, binding: Binding, seen: set[ast.AST], depth: int
    ) -> Iterator[End]:
        """Yields what one binding of a name may bind it to."""
        node = binding.node
        if binding.value is not None:
            yield from self._follow(module, binding.value, seen, depth)
        elif binding.imported is not None:
            yield from self._follow_import(module, node, binding.imported, seen, depth)
        elif node in seen:
            return
        elif isinstance(node, FunctionNode):
            seen.add(node)
            yield End(module, node)
        elif isinstance(node, ast.arg):
            seen.add(node)
            yield from self._follow_parameter(module, node, seen, depth)
        elif parts := self._unpacked_values(module, name, node, depth):
            yield from self._follow_values(parts, End(module, node), seen, depth)
        else:
            line = getattr(node, "lineno", 0)
            yield End(module, node, f"`{name}` is not seen to be a function ({module.path}, line {line})")

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
        ends = self.ends(module, value, depth + 1) if depth <= MAX_STEPS else []
        given = [(end.module, end.node.elts) for end in ends if isinstance(end.node, ast.Tuple | ast.List)]
        is_plain = not any(isinstance(one, ast.Starred) for _, parts in given for one in parts)
        is_each = len(given) == len(ends) and all(0 <= place < len(parts) for _, parts in given)
        return [(where, parts[place]) for where, parts in given] if is_each and is_plain else []

    def _follow_parameter(self, module: Module, parameter: ast.arg, seen: set[ast.AST], depth: int) -> Iterator[End]:
        """Yields what the arguments for a parameter may be, in all calls of its function."""
        try:
            given = argument_values(self._tree, module, parameter)
        except HiddenUse as reason:
            yield End(module, parameter, str(reason))
            return
        for where, value in given:
            yield from self._follow(where, value, seen, depth)

    def _follow_import(
        self, module: Module, node: ast.AST, dotted: str, seen: set[ast.AST], depth: int
    ) -> Iterator[End]:
        """Yields what an imported name may be."""
        found = self._tree.target(module, dotted)
        if found is None:
            yield End(module, node, f"`{dotted}` is in no file of the tree")
            return
        try:
            other = self._tree.module(found.path)
        except Unreadable as problem:
            yield End(module, node, f"{self._tree.name(found.path)} {problem.finding.message}")
            return
        bindings = other.names.top.bindings.get(found.names[0], []) if len(found.names) == 1 else []
        if not bindings or depth > MAX_STEPS:
            yield End(module, node, f"`{dotted}` is no function of {other.path}")
        for binding in bindings if depth <= MAX_STEPS else ():
            yield from self._follow_binding(other, found.names[0], binding, seen, depth + 1)

    def _follow_call(self, module: Module, call: ast.Call, seen: set[ast.AST], depth: int) -> Iterator[End]:
        """Yields what a call may return; the call itself if it is not of the user's functions."""
        try:
            functions = self.functions(module, call.func, depth)
        except Unfollowable as reason:
            yield from self._follow_values(items(self._tree, module, call), End(module, call, str(reason)), seen, depth)
            return
        for called in functions:
            if isinstance(called.node, ast.Lambda):
                yield from self._follow(called.module, called.node.body, seen, depth)
                continue
            returns = called.module.names.returns(called.node)
            values = [one.value for one in returns if one.value is not None]
            is_plain = isinstance(called.node, ast.FunctionDef) and called.node not in called.module.names.generators
            if not is_plain or not returns or len(values) != len(returns):
                yield End(module, call, f"`{_short_source(call.func)}` does not end in the function that it returns")
                continue
            for value in values:
                yield from self._follow(called.module, value, seen, depth)

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
        if not all(map(_is_none, self.iter_ends(module, asked, depth))):
            return None
        operation = test.ops[0] if is_compared else None  # type: ignore[attr-defined]
        return isinstance(operation, ast.Is) if not is_compared or isinstance(operation, ast.Is | ast.IsNot) else None


def _is_partial(module: Module, node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and bool(node.args)
    return is_call and module.names.qualified(node.func) == "functools.partial"  # type: ignore[attr-defined]


def _is_none(end: End) -> bool:
    return isinstance(end.node, ast.Constant) and end.node.value is None


def _may_be_none(end: End) -> bool:
    """Whether a value from outside the program may be None: a flag, setting or parameter without a value."""
    node = end.node
    if isinstance(node, ast.arg):
        default = defaults(end.module.names.scope_of(node).node).get(node.arg, node)  # type: ignore[arg-type]
        return isinstance(default, ast.expr) and is_none(default)
    if isinstance(node, ast.Call):
        is_get = isinstance(node.func, ast.Attribute) and node.func.attr == "get" and not node.keywords
        return is_get and bool(node.args) and is_none(node.args[1] if len(node.args) > 1 else None)
    if isinstance(node, ast.Attribute):
        return node.attr in flags_without_value(end.module.names)
    return _is_none(end)


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
