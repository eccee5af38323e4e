"""Which programs stay as they are because they share a statement with one that does."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from migrate.findings.finding import Cause, Obstacle
from migrate.rewrite.draft import Draft


def sharing(drafts: Sequence[Draft], left: Mapping[int, Cause]) -> dict[int, Cause]:
    """Which programs are left because they share a statement with one that is, by their index."""
    found: dict[int, Cause] = {}
    again = True
    while again:
        again = False
        kept = {node: index for index in (*left, *found) for node in _shared(drafts[index])}
        for index, draft in enumerate(drafts):
            owner = next((kept[node] for node in _shared(draft) if node in kept), None)
            if index not in left and index not in found and owner is not None:
                other = drafts[owner].program
                span = other.module.span(other.site.node)
                found[index] = Cause(Obstacle.SHARED, "", other.module.path, span)
                again = True
    return found


def _shared(draft: Draft) -> Iterator[ast.AST]:
    """The statements of a program that another one may use too."""
    program = draft.program
    yield from program.config.statements
    yield from draft.absorbed
    yield from draft.shared
    for call in program.calls:
        if call.input is not None and call.input.statement is not None:
            yield call.input.statement
        yield from (hook.node for hook in call.hooks)
