"""Splits a file into the text of its top-level statements, so that those without an edit stay byte for byte."""

import ast
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from migrate.records import dataclass, field

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
"""A line with its line break, as Python counts lines."""
_NEWLINE = re.compile(r"\r\n|\r|\n")
_LAST_NEWLINE = re.compile(r"(\r\n|\r|\n)\Z")
_WORD = re.compile(r"[^\W\d]\w*")
_BLOCK_FIELDS = ("body", "handlers", "orelse", "finalbody", "cases")


@dataclass(eq=False)
class Statement:
    """A statement at the top level of a file, or the statements of one line.

    Attributes:
      above: the blank lines and comments above it, each with its line break.
      code: its text, with its last line break and the comments that belong to its last block.
      first: the line of the file where ``above`` begins, from 1; 0 for a new statement.
      parsed: its syntax trees; empty if it is not parsed yet.
    """

    above: list[str]
    code: str
    first: int = 0
    parsed: list[ast.stmt] = field(default_factory=list)

    @cached_property
    def nodes(self) -> list[ast.stmt]:
        # One more line break, because a statement may end with a backslash.
        return self.parsed or ast.parse(self.code + "\n").body

    @cached_property
    def words(self) -> set[str]:
        """Every word in its text that may be a name."""
        text = self.code if self.code.isascii() else unicodedata.normalize("NFKC", self.code)
        return set(_WORD.findall(text))

    @cached_property
    def names(self) -> set[str]:
        """The variables that it reads or deletes."""
        nodes = [node for one in self.nodes for node in ast.walk(one)]
        changed = {node.target for node in nodes if isinstance(node, ast.AugAssign)}  # `x += 1` reads x, too
        named = (node for node in nodes if isinstance(node, ast.Name))
        return {node.id for node in named if node in changed or not isinstance(node.ctx, ast.Store)}

    @property
    def text(self) -> str:
        return "".join(self.above) + self.code

    @property
    def last(self) -> int:
        return self.nodes[-1].end_lineno or self.nodes[-1].lineno

    def used_names(self, names: set[str]) -> set[str]:
        """Returns those of some variables that it reads or deletes."""
        words = names & self.words
        return words & self.names if words else words


def is_comment(line: str) -> bool:
    """Whether a line above a statement is a comment; otherwise it is blank."""
    return line.lstrip().startswith("#")


@dataclass(frozen=True)
class Layout:
    """The layout of a file, which new code in it follows.

    Attributes:
      indent: the white space of one level.
    """

    indent: str
    newline: str


@dataclass
class Source:
    """A file split into its top-level statements.

    Attributes:
      header: the text above the first statement.
      footer: the text below the last one.
      ends_open: whether the last line has no line break.
    """

    header: str
    statements: list[Statement]
    footer: str
    layout: Layout
    ends_open: bool

    def used_names(self, names: set[str]) -> set[str]:
        """Returns those of some variables that the file reads or deletes."""
        found: set[str] = set()
        for statement in self.statements:
            found |= statement.used_names(names - found)
        return found

    @property
    def text(self) -> str:
        text = self.header + "".join(statement.text for statement in self.statements) + self.footer
        return _LAST_NEWLINE.sub("", text) if self.ends_open else text


def split_statements(text: str, tree: ast.Module) -> Source:
    """Splits a file, whose syntax tree is ``tree``, into its top-level statements."""
    found = _NEWLINE.search(text)
    newline = found[0] if found else "\n"
    ends_open = not text.endswith(("\r", "\n"))
    lines = LINE.findall(text + newline if ends_open else text)
    layout = Layout(_first_indent(tree, lines) or "    ", newline)
    statements: list[Statement] = []
    end = 0  # the last line of the statement above, from 1
    for nodes in by_line(tree.body):
        start = first_line(nodes[0])
        last = _last_line(nodes[-1], lines)
        above = lines[end : start - 1]
        if statements:
            own = _count_lines_of_last_block(statements[-1].nodes[-1], lines, above)
            statements[-1].code += "".join(above[:own])
            above = above[own:]
        statements.append(Statement(above, "".join(lines[start - 1 : last]), start - len(above), nodes))
        end = last
    below = lines[end:]
    if statements:
        own = _count_lines_of_last_block(statements[-1].nodes[-1], lines, below)
        statements[-1].code += "".join(below[:own])
        below = below[own:]
    header = ""
    if statements:
        first = statements[0]
        header, first.above, first.first = "".join(first.above), [], first_line(tree.body[0])
    return Source(header, statements, "".join(below), layout, ends_open)


def by_line(body: Iterable[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yields the statements of each line: ``a; b`` are two on one line."""
    line: list[ast.stmt] = []
    for node in body:
        if line and node.lineno != line[-1].end_lineno:
            yield line
            line = []
        line.append(node)
    if line:
        yield line


def first_line(node: ast.stmt) -> int:
    """Returns the line where a statement or its first decorator begins."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _last_line(node: ast.stmt, lines: Sequence[str]) -> int:
    """Returns the last line of a statement, lines included that a backslash after it joins to it."""
    last, column = node.end_lineno or node.lineno, node.end_col_offset or 0
    behind = lines[last - 1].encode()[column:].decode()
    while "#" not in behind and behind.rstrip("\r\n").endswith("\\"):
        behind = lines[last]
        last += 1
    return last


def _count_lines_of_last_block(node: ast.stmt, lines: Sequence[str], below: Sequence[str]) -> int:
    """Returns how many lines below a statement are comments of its last block, by their indentation."""
    indent = _indent_of_last_block(node, lines)
    inside = [number for number, line in enumerate(below, start=1) if indent and line.startswith(indent)]
    return inside[-1] if inside else 0


def _indent_of_last_block(node: ast.AST, lines: Sequence[str]) -> str:
    while blocks := [one for name in _BLOCK_FIELDS if (one := getattr(node, name, None)) and isinstance(one, list)]:
        node = blocks[-1][-1]
        indent = _indent_of(node, lines)
        if indent:
            return indent
    return ""


def _indent_of(node: ast.AST, lines: Sequence[str]) -> str:
    """Returns the white space before a node; "" where there is none or the node is not the first on its line."""
    if isinstance(node, ast.match_case):
        line = lines[node.pattern.lineno - 1]
        return line[: len(line) - len(line.lstrip())]
    assert isinstance(node, ast.stmt | ast.excepthandler)
    before = lines[node.lineno - 1].encode()[: node.col_offset].decode()
    return before if before.isspace() else ""


def _first_indent(tree: ast.AST, lines: Sequence[str]) -> str | None:
    """Returns the white space of the first indented statement; None where none is indented."""
    for name in _BLOCK_FIELDS:
        block = getattr(tree, name, None)
        for node in block if isinstance(block, list) else ():
            indent = _indent_of(node, lines) or _first_indent(node, lines)
            if indent:
                return indent
    return None
