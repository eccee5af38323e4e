"""Which branches exclude one another, and whether a statement runs more than once in a start."""

import ast
from collections.abc import Sequence
from itertools import combinations, product

from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import blocks

_TURNS = ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_DEEPEST = 2
"""How many functions stand between a call and the test that decides on it."""


def runs_again(module: Module, training: ast.AST) -> str:
    """Why a training runs more than once, as a sentence's part; "" where it does not, as far as the file shows."""
    names = module.names
    own = names.scope_of(training).node
    around = list(names.ancestors(training))
    inside = around[: around.index(own)] if own in around else around
    if any(isinstance(node, _TURNS) for node in (*inside, own)):
        return "fit is in a loop"
    if not isinstance(own, ast.FunctionDef) or isinstance(names.parent(own), ast.ClassDef):
        return ""
    calls = _calls(names, own)
    loops = [n for use in calls for n in names.ancestors(use) if isinstance(n, _TURNS)]
    are_apart = all(_exclude(names, one, other) for one, other in combinations(calls, 2))
    return "the function that calls fit runs more than once" if loops or not are_apart else ""


def _calls(names: Names, function: ast.FunctionDef) -> list[ast.AST]:
    uses = names.uses(function.name, names.scope_of(function))
    return [use for use in uses if isinstance(above := names.parent(use), ast.Call) and above.func is use]


def _exclude(names: Names, one: ast.AST, other: ast.AST, depth: int = 0) -> bool:
    """Whether one start of a program runs at most one of two calls, as far as the tests around them tell."""
    if are_alternatives(names, one, other):
        return True
    callers = [names.scope_of(call).node for call in (one, other)]
    if depth > _DEEPEST or callers[0] is callers[1]:
        return False
    ways = [_calls(names, node) if isinstance(node, ast.FunctionDef) else [] for node in callers]
    pairs = list(product(*ways))
    return bool(pairs) and all(_exclude(names, first, second, depth + 1) for first, second in pairs)


def are_asked_apart(names: Names, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes stand below tests that one value is equal to two constants: ``if mode == "c": …``."""
    asked = [_equal(names, node) for node in (one, other)]
    return any(asked[1].get(value, constant) != constant for value, constant in asked[0].items())


def _equal(names: Names, node: ast.AST) -> dict[str, object]:
    found: dict[str, object] = {}
    child = node
    for above in names.ancestors(node):
        test = above.test if isinstance(above, ast.If) and child in above.body else None
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
            right = test.comparators[0]
            if isinstance(right, ast.Constant):
                found[ast.unparse(test.left)] = right.value
        child = above
    return found


def are_alternatives(names: Names, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes stand in two branches of one ``if``, or below tests that ask for two constants."""
    if are_asked_apart(names, one, other):
        return True
    around = [other, *names.ancestors(other)]
    child = one
    for node in names.ancestors(one):
        if isinstance(node, ast.If) and node in around:
            beside = around[around.index(node) - 1]
            return (child in node.body) != (beside in node.body)
        child = node
    return False


def tests_around(names: Names, node: ast.AST) -> list[tuple[ast.expr, bool]]:
    """Returns the tests around a node within its function, from the inside, each with whether it must hold."""
    found: list[tuple[ast.expr, bool]] = []
    child = node
    for above in names.ancestors(node):
        if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            break
        if isinstance(above, ast.If | ast.IfExp | ast.While) and child is not above.test:
            body = above.body if isinstance(above.body, list) else [above.body]
            found.append((above.test, child in body))
        child = above
    return found


def is_bound_at(names: Names, name: ast.Name, place: ast.AST) -> bool:
    """Whether every way to a place of the same function binds a variable; one of another function is taken to be."""
    scope = names.scope_of(place)
    found = scope.lookup(name.id)
    if found is None or found[0] is not scope or any(isinstance(one.node, ast.arg) for one in found[1]):
        return True
    statements = {names.statement_of(one.node) for one in found[1]}

    def binds(block: Sequence[ast.AST]) -> bool:
        return any(
            one in statements
            or (isinstance(one, ast.If) and binds(one.body) and binds(one.orelse))
            or (isinstance(one, ast.With | ast.Try) and binds(one.body))
            for one in block
        )

    around = [place, *names.ancestors(place)]
    return any(binds(block[: block.index(one)]) for one, block in blocks(around))
