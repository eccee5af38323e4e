"""Tests around a node, and branches that exclude each other."""

import ast
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import blocks, walk
from migrate.analysis.source.path_searches import name_of

_EXITS = {"exit", "_exit", "quit"}
_NOTHING: Mapping[str, bool] = MappingProxyType({})


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


def leaves_block(statement: ast.AST) -> bool:
    """Whether a statement always leaves the block that it is in: ``return``, ``raise``, ``sys.exit()``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_exit = isinstance(call, ast.Call) and name_of(call.func) in _EXITS
    return is_exit or isinstance(statement, ast.Return | ast.Raise | ast.Continue | ast.Break)


def is_unreachable(names: Names, node: ast.AST) -> bool:
    """Whether a statement above a node in its block always leaves the block."""
    around = [node, *names.ancestors(node)]
    return any(leaves_block(one) for inner, block in blocks(around) for one in block[: block.index(inner)])


def always_runs(block: Sequence[ast.AST], wanted: Collection[ast.AST], held: Mapping[str, bool] = _NOTHING) -> bool:
    """Whether a block that runs to its end always runs one of some statements.

    A loop in it is assumed to have turns.

    Args:
      held: the known results of tests, by their source.
    """
    return any(one in wanted or leaves_block(one) or _always_runs_within(one, wanted, held) for one in block)


def _always_runs_within(statement: ast.AST, wanted: Collection[ast.AST], held: Mapping[str, bool]) -> bool:
    ways: list[list[ast.stmt]] = []
    if isinstance(statement, ast.If):
        result = held.get(ast.unparse(statement.test))
        ways = [way for way, is_other in ((statement.body, False), (statement.orelse, True)) if result is not is_other]
    elif isinstance(statement, ast.Try):
        handled = [one.body for one in statement.handlers]
        ways = [[*way, *statement.finalbody] for way in ([*statement.body, *statement.orelse], *handled)]
    elif isinstance(statement, ast.For | ast.While):  # ``break`` leaves it, not the block.
        breaks = {one for one in statement.body if any(isinstance(x, ast.Break | ast.Continue) for x in walk(one))}
        ways = [[one for one in statement.body if one not in breaks]]
    elif isinstance(statement, ast.With):
        ways = [statement.body]
    return bool(ways) and all(always_runs(way, wanted, held) for way in ways)


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
    around = [place, *names.ancestors(place)]
    return any(always_runs(block[: block.index(one)], statements) for one, block in blocks(around))
