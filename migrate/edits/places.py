"""The positions of LibCST's nodes in a file, only for lines with an edit: computing them means writing the code."""

import ast
from collections.abc import Collection, Iterator, Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from migrate.edits.lines import Line
from migrate.edits.statements import by_line, first_line

Range = tuple[int, int, int, int]
"""First line and column of a node, then its last line and column."""

_Compound = cst.FunctionDef | cst.ClassDef | cst.If | cst.For | cst.While | cst.With | cst.Try
_Block = tuple[cst.BaseSuite, list[ast.stmt]]


def places(
    line: Line, nodes: Sequence[ast.stmt], wanted: Collection[int], writer: cst.Module, indent: str = ""
) -> Iterator[tuple[cst.CSTNode, Range]]:
    """Yields the nodes of a statement that are on some lines, and the statements around them, with their ranges.

    Args:
      nodes: the same statement as parsed by ``ast``, with the line numbers of the file.
      wanted: the numbers of these lines.
      writer: a module in the file's layout.
      indent: the white space before the statement.
    """
    node = nodes[0]
    found = list(_blocks(line, node)) if isinstance(line, _Compound) else []
    blocks = [(suite.body, list(by_line(body)), suite) for suite, body in found if isinstance(suite, cst.IndentedBlock)]
    is_plain = len(blocks) == len(found) and all(len(lines) == len(groups) for lines, groups, _ in blocks)
    if not blocks or not is_plain:
        yield from _nodes_with_ranges(line, node.lineno, writer, indent)
        return
    last = _last_line(nodes)
    for branch, same in _branches(line, node):
        yield branch, (same.lineno, same.col_offset, last, node.end_col_offset or 0)
    limits = [(first_line(groups[0][0]), _last_line(groups[-1])) for _, groups, _ in blocks]
    inside = {number for start, end in limits for number in range(start, end + 1)}
    if any(first_line(node) <= number <= last and number not in inside for number in wanted):
        first = _without_blocks(line)
        yield from ((one, at) for one, at in _nodes_with_ranges(first, node.lineno, writer, indent) if one is not first)
    for lines, groups, suite in blocks:
        for own, group in zip(lines, groups, strict=True):
            if any(first_line(group[0]) <= number <= _last_line(group) for number in wanted):
                assert isinstance(own, Line) and isinstance(suite, cst.IndentedBlock)
                deeper = indent + (writer.default_indent if suite.indent is None else suite.indent)
                yield from places(own, group, wanted, writer, deeper)


def _last_line(nodes: Sequence[ast.stmt]) -> int:
    return nodes[-1].end_lineno or nodes[-1].lineno


def _branches(line: cst.CSTNode, node: ast.stmt) -> Iterator[tuple[cst.CSTNode, ast.stmt]]:
    """Yields a compound statement and each ``elif`` of it, in LibCST's tree and in that of ``ast``."""
    yield line, node
    if isinstance(line, cst.If) and isinstance(line.orelse, cst.If) and isinstance(node, ast.If):
        yield from _branches(line.orelse, node.orelse[0])


def _blocks(line: cst.CSTNode, node: ast.stmt) -> Iterator[_Block]:
    """Yields the blocks of a compound statement, in LibCST's tree and in that of ``ast``."""
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
    """Returns a compound statement with ``pass`` for its block; unchanged if it has several blocks."""
    if getattr(line, "orelse", None) is not None or isinstance(line, cst.Try):
        return line
    return line.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]))


def _nodes_with_ranges(line: Line, number: int, writer: cst.Module, indent: str) -> Iterator[tuple[cst.CSTNode, Range]]:
    """Yields every node of a statement with its range in the file; the statement begins on line ``number``."""
    body: Line = cst.If(cst.Name("x"), cst.IndentedBlock([line], indent=indent)) if indent else line
    found = MetadataWrapper(writer.with_changes(body=[body]), unsafe_skip_copy=True).resolve(PositionProvider)
    above = number - found[line].start.line
    for node, at in found.items():
        if node is not body or body is line:
            yield node, (at.start.line + above, at.start.column, at.end.line + above, at.end.column)
