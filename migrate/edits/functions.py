"""Functions that get another head, a decorator or a first statement."""

import libcst as cst

from migrate.edits.lines import comment_line, comments_of, header_of
from migrate.edits.plan import Decorate, InsertFirst, Redefine


def with_change(
    original: cst.FunctionDef, updated: cst.FunctionDef, edit: Redefine | InsertFirst | Decorate
) -> cst.FunctionDef:
    """Returns a function with one edit made; comments of parameters that go stand above it."""
    if isinstance(edit, Decorate):
        decorator = cst.Decorator(cst.parse_expression(edit.decorator))
        return updated.with_changes(decorators=[decorator, *updated.decorators])
    if isinstance(edit, InsertFirst):
        return _with_first(updated, edit.statements)
    definition = cst.parse_statement(f"def {edit.name}({edit.parameters}): ...")
    assert isinstance(definition, cst.FunctionDef)
    lost = [*comments_of(original.whitespace_before_params), *comments_of(original.params)]
    return updated.with_changes(
        name=definition.name,
        params=definition.params,
        returns=None,
        whitespace_before_params=cst.SimpleWhitespace(""),
        leading_lines=[*updated.leading_lines, *map(comment_line, lost)],
    )


def _with_first(function: cst.FunctionDef, statements: str) -> cst.FunctionDef:
    block = function.body
    if isinstance(block, cst.SimpleStatementSuite):  # `def f(self): self.x = 1`
        lines = [cst.SimpleStatementLine([one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for one in block.body]
        block = cst.IndentedBlock(lines, header=header_of(block))
    body = list(block.body)
    at = 1 if function.get_docstring() is not None else 0
    new = [cst.parse_statement(line) for line in statements.splitlines()]
    return function.with_changes(body=block.with_changes(body=[*body[:at], *new, *body[at:]]))
