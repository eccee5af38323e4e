"""Which branches exclude one another, and which tests stand around a place."""

import ast
from collections.abc import Sequence

from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import blocks


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


def without_not(test: ast.expr, holds: bool) -> tuple[ast.expr, bool]:
    """A test without the ``not`` before it, and whether it must hold then."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    return test, holds


def tries_again(loop: ast.For | ast.While) -> bool:
    """Whether a turn of a loop that ends without an error is its last: ``try: model.fit(…); break``."""
    test, holds = without_not(loop.test, True) if isinstance(loop, ast.While) else (loop.target, True)
    ends = [end for one in loop.body if isinstance(one, ast.Try) for end in (*one.body, *one.orelse)]
    assigned = [one for one in ends if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == ast.unparse(test)]
    is_switched = any(isinstance(one.value, ast.Constant) and bool(one.value.value) is not holds for one in assigned)
    return is_switched or any(isinstance(one, ast.Break | ast.Return) for one in ends)


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
