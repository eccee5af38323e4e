"""Converts between the text of a statement and LibCST's tree of it."""

import libcst as cst

from migrate.edits.lines import Line
from migrate.edits.statements import Layout, Statement


class ParseFailure(Exception):
    """LibCST cannot parse what ``ast`` can, or would write it back changed; ``line`` is the line in the file."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(f"cannot be rewritten: {reason}")
        self.line = line


def writer_of(layout: Layout) -> cst.Module:
    """Returns an empty module that writes and parses nodes in the layout of a file."""
    return cst.Module([], default_indent=layout.indent, default_newline=layout.newline)


def statement_tree(statement: Statement, writer: cst.Module) -> Line:
    """Returns LibCST's tree of a statement, with the lines above it; raises ParseFailure."""
    text = statement.text
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        place = statement.first - 1 + max(error.raw_line, 1)
        raise ParseFailure(f"LibCST cannot parse it: {error.message.strip()}", place) from error
    if "\f" in text and module.code != text:
        raise ParseFailure("LibCST would drop its form feeds", statement.first)
    line: Line = module.body[0].with_changes(leading_lines=module.header)
    own = Layout(module.default_indent, module.default_newline)
    if own != Layout(writer.default_indent, writer.default_newline):
        # LibCST's nodes take indent and newline from the module by default; set those of the statement's own text.
        settled = line.visit(_LayoutSetter(own))
        assert isinstance(settled, Line)
        return settled
    return line


class _LayoutSetter(cst.CSTTransformer):
    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(indent=updated_node.indent or self.layout.indent)

    def leave_Newline(self, original_node: cst.Newline, updated_node: cst.Newline) -> cst.Newline:
        return cst.Newline(self.layout.newline) if updated_node.value is None else updated_node


def statement_text(line: Line, writer: cst.Module) -> Statement:
    above = [writer.code_for_node(one) for one in line.leading_lines]
    return Statement(above, writer.code_for_node(line.with_changes(leading_lines=())))
