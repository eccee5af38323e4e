"""The layout of statements: comments and blank lines around those that come, stay and go."""

from collections.abc import Sequence
from itertools import pairwise

import libcst as cst

Line = cst.SimpleStatementLine | cst.BaseCompoundStatement


def with_first(function: cst.FunctionDef, statements: str) -> cst.FunctionDef:
    block = function.body
    if isinstance(block, cst.SimpleStatementSuite):  # `def f(self): self.x = 1`
        lines = [cst.SimpleStatementLine([one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for one in block.body]
        block = cst.IndentedBlock(lines, header=header_of(block))
    body = list(block.body)
    at = 1 if function.get_docstring() is not None else 0
    new = [cst.parse_statement(line) for line in statements.splitlines()]
    return function.with_changes(body=block.with_changes(body=[*body[:at], *new, *body[at:]]))


def set_apart(
    before: Sequence[cst.BaseStatement], after: Sequence[cst.BaseStatement], blanks: int
) -> list[cst.BaseStatement]:
    """The statements of a block, with blank lines around a function that is new in it."""
    known = {statement.name.value for statement in before if isinstance(statement, cst.FunctionDef)}
    lines = list(after)
    for number, (above, below) in enumerate(pairwise(after), start=1):
        is_new = any(isinstance(one, cst.FunctionDef) and one.name.value not in known for one in (above, below))
        if is_new and isinstance(below, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            own = [line for line in below.leading_lines if line.comment is not None]
            empty = [cst.EmptyLine(indent=False)] * blanks
            lines[number] = below.with_changes(leading_lines=[*empty, *own])
    return lines


def header_of(suite: cst.SimpleStatementSuite) -> cst.TrailingWhitespace:
    """The comment of a one-line suite, for the line of its block's colon."""
    comment = suite.trailing_whitespace.comment
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), comment) if comment else cst.TrailingWhitespace()


def comments_of(node: cst.CSTNode) -> list[str]:
    """All comments of a statement, those above it included."""
    found = _Comments()
    node.visit(found)
    return found.values


def comments_apart(line: Line) -> list[str]:
    """The comments above a statement that a blank line sets apart from it: they are not about it alone."""
    above = list(line.leading_lines)
    while above and above[-1].comment is not None:
        above.pop()
    return [one.comment.value for one in above if one.comment is not None]


def blank_lines(line: Line, column: int) -> list[cst.EmptyLine]:
    blanks = len(line.leading_lines) if column == 0 else min(1, len(line.leading_lines))
    return [cst.EmptyLine(indent=False)] * blanks


def comment_line(comment: str) -> cst.EmptyLine:
    return cst.EmptyLine(comment=cst.Comment(comment))


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.values: list[str] = []

    def visit_Comment(self, node: cst.Comment) -> None:
        self.values.append(node.value)
