"""Follows expressions to all that they may be."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from migrate.analysis.program.defined_flags import flags_without_value
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import defaults, is_none
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import FARTHEST, Names
from migrate.analysis.source.scopes import Binding, FunctionNode
from migrate.analysis.values.attributes import Unseen, method, values_of_attribute
from migrate.analysis.values.items import items
from migrate.analysis.values.uses import HiddenUse, argument_values, star_owner
from migrate.files.trouble import Unreadable

_KEEPS = {"abs", "max", "min", "np.ceil", "np.floor", "numpy.ceil", "numpy.floor"}
"""Calls that give a float of a float; of what others give nothing is known."""


class Unfollowable(Exception):
    """An expression that is not seen to be a function, with the reason."""


class End(NamedTuple):
    """One thing that an expression may be, from which nothing leads further.

    Attributes:
      module: the file that it stands in.
      node: an expression, the function that a name is, a parameter, or what binds a name to something unknown.
      unseen: why it leads no further, in words; "" where that is not needed.
    """

    module: Module
    node: ast.AST
    unseen: str = ""


class Function(NamedTuple):
    module: Module
    node: FunctionNode


class Values:
    """What expressions may be, for one question: what was found on the way serves the rest of it."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._truths: dict[ast.expr, bool | None] = {}
        self._called: dict[ast.expr, list[Function] | str] = {}

    def ends(self, module: Module, expression: ast.expr, depth: int = 0) -> list[End]:
        """All that an expression may be, each once; at least one."""
        return [*self.iter_ends(module, expression, depth)]

    def iter_ends(self, module: Module, expression: ast.expr, depth: int = 0) -> Iterator[End]:
        """As ``ends``, for one who may know enough before all of them are found."""
        end = None
        for end in self._follow(module, expression, set(), depth):
            yield end
        if end is None:
            yield End(module, expression, f"`{_short_source(expression)}` is made from itself")

    def functions(self, module: Module, expression: ast.expr, depth: int = 0) -> list[Function]:
        """The function that an expression evaluates to; several where branches, or a loop, assign one or another.

        Raises:
          Unfollowable: where it is not seen to be a function.
        """
        known = self._called.get(expression)
        if known is None:
            self._called[expression] = f"`{_short_source(expression)}` is made from itself"
            try:
                ends = self.ends(module, expression, depth)
                known = [one for end in ends for one in self.functions_of(end, depth)]
            except Unfollowable as reason:
                known = str(reason)
            self._called[expression] = known
        if isinstance(known, str):
            raise Unfollowable(known)
        return known

    def functions_of(self, end: End, depth: int = 0) -> list[Function]:
        """As ``functions``, of one thing that an expression may be."""
        if isinstance(end.node, FunctionNode):
            return [Function(end.module, end.node)]
        if _is_partial(end.module, end.node):
            return self.functions(end.module, end.node.args[0], depth + 1)  # type: ignore[attr-defined]
        raise Unfollowable(end.unseen or f"`{_short_source(end.node)}` is not seen to be a function")

    def is_none(self, module: Module, value: ast.expr | None) -> bool:
        """Whether a value is None, however the program runs; None stands for an argument that is missing."""
        return value is None or all(map(_is_none, self.iter_ends(module, value)))

    def may_be_fraction(self, module: Module, value: ast.expr) -> bool:
        """Whether a number is a float or a quotient that nothing makes whole again, and not None in its place.

        An Estimator makes the step that is begun, where Keras and ``tf.data`` raise.
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
        return called == "float" or (called in _KEEPS and any(self.may_be_fraction(end.module, a) for a in value.args))

    def _follow(self, module: Module, node: ast.expr, seen: set[ast.AST], depth: int) -> Iterator[End]:
        if node in seen:  # what it is besides is found where it was met
            return
        seen.add(node)
        names, inner = module.names, depth + 1
        if depth > FARTHEST:
            yield End(module, node, f"`{_short_source(node)}` is made from itself")
        elif isinstance(node, ast.IfExp):
            known = self._truth(module, node.test, inner)
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
            held = self._parts(module, node.value, place, inner) if is_part else items(self._tree, module, node)  # type: ignore[arg-type]
            yield from self._follow_values(held, End(module, node), seen, inner)
        else:
            yield End(module, node)

    def _follow_object(self, module: Module, node: ast.Attribute, seen: set[ast.AST], depth: int) -> Iterator[End]:
        """The method that an attribute of an object is, or all that is assigned to it."""
        try:
            yield End(*method(self._tree, module, node))
            return
        except Unseen as reason:
            itself = End(module, node, str(reason))
        yield from self._follow_values(values_of_attribute(self._tree, module, node), itself, seen, depth)

    def _follow_values(
        self, held: list[tuple[Module, ast.expr]], itself: End, seen: set[ast.AST], depth: int
    ) -> Iterator[End]:
        """What an attribute or an item holds; itself where that is not seen."""
        for where, value in held:
            yield from self._follow(where, value, seen, depth)
        if not held:
            yield itself

    def _follow_binding(
        self, module: Module, name: str, binding: Binding, seen: set[ast.AST], depth: int
    ) -> Iterator[End]:
        """What one of the places that bind a name binds it to."""
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
        """What ``a, b = f()`` gives one of its names."""
        statement = module.names.parents.get(target)
        if not isinstance(target, ast.Tuple | ast.List) or not isinstance(statement, ast.Assign):
            return []
        if any(isinstance(one, ast.Starred) for one in target.elts):
            return []
        place = next(at for at, one in enumerate(target.elts) if getattr(one, "id", "") == name)
        return self._parts(module, statement.value, place, depth)

    def _parts(self, module: Module, value: ast.expr, place: int, depth: int) -> list[tuple[Module, ast.expr]]:
        """What stands at a place of each tuple that an expression may be; nothing where it may be something else."""
        ends = self.ends(module, value, depth + 1) if depth <= FARTHEST else []
        given = [(end.module, end.node.elts) for end in ends if isinstance(end.node, ast.Tuple | ast.List)]
        is_plain = not any(isinstance(one, ast.Starred) for _, parts in given for one in parts)
        is_each = len(given) == len(ends) and all(0 <= place < len(parts) for _, parts in given)
        return [(where, parts[place]) for where, parts in given] if is_each and is_plain else []

    def _follow_parameter(self, module: Module, parameter: ast.arg, seen: set[ast.AST], depth: int) -> Iterator[End]:
        """What the callers of a function give for a parameter, each in its own file."""
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
        """What a dotted import leads to."""
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
        if not bindings or depth > FARTHEST:
            yield End(module, node, f"`{dotted}` is no function of {other.path}")
        for binding in bindings if depth <= FARTHEST else ():
            yield from self._follow_binding(other, found.names[0], binding, seen, depth + 1)

    def _follow_call(self, module: Module, call: ast.Call, seen: set[ast.AST], depth: int) -> Iterator[End]:
        """What a call returns of the user's functions; the call itself for another."""
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
            is_plain = isinstance(called.node, ast.FunctionDef) and called.node not in called.module.names.yielding
            if not is_plain or not returns or len(values) != len(returns):
                yield End(module, call, f"`{_short_source(call.func)}` does not end in the function that it returns")
                continue
            for value in values:
                yield from self._follow(called.module, value, seen, depth)

    def _never_runs(self, module: Module, statement: ast.AST, depth: int) -> bool:
        """Whether a statement stands under an ``if`` whose condition is seen to lead elsewhere."""
        inner = statement
        for around in module.names.ancestors(statement) if isinstance(statement, ast.stmt) else ():
            if isinstance(around, FunctionNode | ast.ClassDef):
                return False
            if isinstance(around, ast.If):
                known = self._truth(module, around.test, depth)
                if (known is False and inner in around.body) or (known is True and inner in around.orelse):
                    return True
            inner = around
        return False

    def _truth(self, module: Module, test: ast.expr, depth: int) -> bool | None:
        """What a condition on None comes to; None where that is not seen."""
        if test not in self._truths:
            self._truths[test] = None  # what it is asked for on the way to itself says nothing
            self._truths[test] = self._evaluate(module, test, depth)
        return self._truths[test]

    def _evaluate(self, module: Module, test: ast.expr, depth: int) -> bool | None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._truth(module, test.operand, depth)
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
    """Whether what is given only from outside may be None: a flag, a setting or a parameter without a value."""
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
    """The nodes of an expression, and those of all that its variables are assigned; each once."""
    seen, waiting = set[ast.AST](), list[ast.AST]([value])
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting += [binding.value for binding in names.bound(node) if binding.value is not None]
            waiting += ast.iter_child_nodes(node)
