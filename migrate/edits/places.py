"""Where LibCST's nodes stand in a file: only of the lines that hold an edit, for finding it costs writing them."""

import ast
from collections.abc import Collection, Iterator, Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from migrate.edits.lines import Line
from migrate.edits.statements import by_line, first_line

Range = tuple[int, int, int, int]
"""The line and column where a node begins, and those where it ends."""

_Compound = cst.FunctionDef | cst.ClassDef | cst.If | cst.For | cst.While | cst.With | cst.Try
_Block = tuple[cst.BaseSuite, list[ast.stmt]]


def places(
    line: Line, nodes: Sequence[ast.stmt], wanted: Collection[int], writer: cst.Module, indent: str = ""
) -> Iterator[tuple[cst.CSTNode, Range]]:
    """The nodes of a statement on some lines of its file, and the statements that hold them, with their ranges.

    Args:
      nodes: what ``ast`` has for it, with the lines of the file.
      writer: a module in the file's layout.
    """
    node = nodes[0]
    found = list(_blocks(line, node)) if isinstance(line, _Compound) else []
    blocks = [(suite.body, list(by_line(body)), suite) for suite, body in found if isinstance(suite, cst.IndentedBlock)]
    is_plain = len(blocks) == len(found) and all(len(lines) == len(groups) for lines, groups, _ in blocks)
    if not blocks or not is_plain:
        yield from _all(line, node.lineno, writer, indent)
        return
    last = _last(nodes)
    for branch, same in _branches(line, node):
        yield branch, (same.lineno, same.col_offset, last, node.end_col_offset or 0)
    inside = {number for _, groups, _ in blocks for number in range(first_line(groups[0][0]), _last(groups[-1]) + 1)}
    if any(first_line(node) <= number <= last and number not in inside for number in wanted):
        first = _without_blocks(line)
        yield from ((one, at) for one, at in _all(first, node.lineno, writer, indent) if one is not first)
    for lines, groups, suite in blocks:
        for own, group in zip(lines, groups, strict=True):
            if any(first_line(group[0]) <= number <= _last(group) for number in wanted):
                assert isinstance(own, Line) and isinstance(suite, cst.IndentedBlock)
                deeper = indent + (writer.default_indent if suite.indent is None else suite.indent)
                yield from places(own, group, wanted, writer, deeper)


def _last(nodes: Sequence[ast.stmt]) -> int:
    return nodes[-1].end_lineno or nodes[-1].lineno


def _branches(line: cst.CSTNode, node: ast.stmt) -> Iterator[tuple[cst.CSTNode, ast.stmt]]:
    """A compound statement, and each ``elif`` of it."""
    yield line, node
    if isinstance(line, cst.If) and isinstance(line.orelse, cst.If) and isinstance(node, ast.If):
        yield from _branches(line.orelse, node.orelse[0])


def _blocks(line: cst.CSTNode, node: ast.stmt) -> Iterator[_Block]:
    """The blocks of a compound statement, in LibCST's tree and in that of ``ast``."""
    for branch, same in _branches(line, node):
        yield branch.body, same.body  # type: ignore[attr-defined]
        if isinstance(branch, cst.Try):
            for handler, its in zip(branch.handlers, same.handlers, strict=True):  # type: ignore[attr-defined]
                yield handler.body, its.body
        orelse = getattr(branch, "orelse", None)
        if isinstance(orelse, cst.Else):
            yield orelse.body, same.orelse  # type: ignore[attr-defined]
        if isinstance(branch, cst.Try) and branch.finalbody is not None:
            yield branch.finalbody.body, same.finalbody  # type: ignore[attr-defined]


def _without_blocks(line: Line) -> Line:
    """A compound statement for its first line alone; whole where other lines of it stand between its blocks."""
    if getattr(line, "orelse", None) is not None or isinstance(line, cst.Try):
        return line
    return line.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]))


def _all(line: Line, number: int, writer: cst.Module, indent: str) -> Iterator[tuple[cst.CSTNode, Range]]:
    """Every node of a statement with its range in the file, given the line on which it begins."""
    body: Line = cst.If(cst.Name("x"), cst.IndentedBlock([line], indent=indent)) if indent else line
    found = MetadataWrapper(writer.with_changes(body=[body]), unsafe_skip_copy=True).resolve(PositionProvider)
    above = number - found[line].start.line
    for node, at in found.items():
        if node is not body or body is line:
            yield node, (at.start.line + above, at.start.column, at.end.line + above, at.end.column)
