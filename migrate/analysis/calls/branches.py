"""Tests around a node, and branches that exclude each other."""

import ast
from collections.abc import Sequence

from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import blocks


def need_different_constants(names: Names, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes run only if one value equals two different constants: ``if mode == "train": …``."""
    required = [_required_constants(names, node) for node in (one, other)]
    return any(required[1].get(value, constant) != constant for value, constant in required[0].items())


def _required_constants(names: Names, node: ast.AST) -> dict[str, object]:
    """Returns the constants that expressions must equal for a node to run, by the expressions' source."""
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
    """Whether two nodes are in different branches of one ``if``, or require different constants."""
    if need_different_constants(names, one, other):
        return True
    around = [other, *names.ancestors(other)]
    child = one
    for node in names.ancestors(one):
        if isinstance(node, ast.If) and node in around:
            other_child = around[around.index(node) - 1]
            return (child in node.body) != (other_child in node.body)
        child = node
    return False


def is_unreachable(names: Names, node: ast.AST) -> bool:
    """Whether a statement above a node in its block always leaves the block: ``return``, ``raise``."""
    leaves = ast.Return | ast.Raise | ast.Continue | ast.Break
    around = [node, *names.ancestors(node)]
    return any(isinstance(one, leaves) for inner, block in blocks(around) for one in block[: block.index(inner)])


def tests_around(names: Names, node: ast.AST) -> list[tuple[ast.expr, bool]]:
    """Returns the tests around a node in its function, innermost first, each with the result that the node needs."""
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


def strip_not(test: ast.expr, holds: bool) -> tuple[ast.expr, bool]:
    """Returns a test without ``not`` before it, and the result that it then needs."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    return test, holds


def tries_again(loop: ast.For | ast.While) -> bool:
    """Whether a loop repeats a failed attempt and ends after a success: ``try: model.fit(…); break``."""
    test, holds = strip_not(loop.test, True) if isinstance(loop, ast.While) else (loop.target, True)
    ends = [end for one in loop.body if isinstance(one, ast.Try) for end in (*one.body, *one.orelse)]
    assigned = [one for one in ends if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == ast.unparse(test)]
    is_switched = any(isinstance(one.value, ast.Constant) and bool(one.value.value) is not holds for one in assigned)
    return is_switched or any(isinstance(one, ast.Break | ast.Return) for one in ends)


def is_bound_at(names: Names, name: ast.Name, place: ast.AST) -> bool:
    """Whether a variable is surely bound at a place; one of another function, or a parameter, counts as bound."""
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
