"""Which of several assignments a use reads."""

import ast

from migrate.analysis.source.names import Names


def last_assigned(names: Names, use: ast.expr, targets: list[ast.expr]) -> list[ast.expr]:
    """Which of several assignments a use reads: the last one above it in its function, where that is sure; else all."""
    if len(targets) < 2:
        return targets
    scope = names.scope_of(use)
    found = scope.lookup(use.id) if isinstance(use, ast.Name) else None
    if found is not None and found[0] is not scope:
        return targets
    around = {use: None, **dict.fromkeys(names.ancestors(use))}
    loops = [node for node in around if isinstance(node, ast.For | ast.While | ast.AsyncFor)]
    own = (names.statement_of(target) for target in targets if names.scope_of(target) is scope)
    statements = [binding.node for binding in found[1]] if found is not None else [*own]
    lines = [getattr(statement, "lineno", 0) for statement in statements]
    if any(line >= use.lineno and any(_holds(loop, line) for loop in loops) for line in lines):
        return targets  # the next turn of the loop reads it
    last = max((line for line in lines if line < use.lineno), default=0)
    # Each block around an assignment must be around the use, too: nothing goes past the assignment then.
    above = [target for target in targets if names.statement_of(target).lineno == last]
    reached = [target for target in above if _is_beside(names, names.statement_of(target), around)]
    return reached or targets


def _is_beside(names: Names, statement: ast.stmt, around: dict[ast.AST, None]) -> bool:
    """Whether a statement stands in a block that one of the nodes around a use stands in as well."""
    parent = names.parents.get(statement)
    if parent is None:
        return False
    blocks = [value for _, value in ast.iter_fields(parent) if isinstance(value, list) and statement in value]
    return any(node in block for block in blocks for node in around)


def _holds(loop: ast.AST, line: int) -> bool:
    return getattr(loop, "lineno", 0) <= line <= (getattr(loop, "end_lineno", 0) or 0)
