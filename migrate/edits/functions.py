"""Functions that get a decorator or a first statement."""

import libcst as cst

from migrate.edits.lines import header_of
from migrate.edits.plan import Decorate, InsertFirst


def with_change(function: cst.FunctionDef, edit: InsertFirst | Decorate) -> cst.FunctionDef:
    """Returns a function with one edit made."""
    if isinstance(edit, InsertFirst):
        return _with_first(function, edit.statements)
    decorator = cst.Decorator(cst.parse_expression(edit.decorator))
    return function.with_changes(decorators=[decorator, *function.decorators])


def _with_first(function: cst.FunctionDef, statements: str) -> cst.FunctionDef:
    block = function.body
    if isinstance(block, cst.SimpleStatementSuite):  # `def f(self): self.x = 1`
        lines = [cst.SimpleStatementLine([one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for one in block.body]
        block = cst.IndentedBlock(lines, header=header_of(block))
    body = list(block.body)
    at = 1 if function.get_docstring() is not None else 0
    new = [cst.parse_statement(line) for line in statements.splitlines()]
    return function.with_changes(body=block.with_changes(body=[*body[:at], *new, *body[at:]]))
