"""Applies a plan to a file's text with LibCST: a statement without an edit is neither parsed nor written."""

import ast
import re
import warnings
from collections.abc import Sequence
from itertools import dropwhile, takewhile

import libcst as cst

from migrate.edits.concrete import statement_text, statement_tree, writer_of
from migrate.edits.editor import Editor
from migrate.edits.lines import Line, is_marker
from migrate.edits.new_imports import add_imports, bound_names
from migrate.edits.places import places
from migrate.edits.plan import Edit, InsertBefore, Plan, ReplaceExpression
from migrate.edits.statements import LINE, Source, Statement, split_statements
from migrate.edits.unused_imports import drop_unused_imports


def apply(text: str, plan: Plan, imports: Sequence[str] = ()) -> str:
    """Returns the rewritten text.

    Args:
      imports: import statements to add if the new code uses their names, after the plan's own.

    Raises:
      ParseFailure: if LibCST cannot parse what ``ast`` could.
      EditLost: if the file has no node at the position of an edit, which is a bug of the tool.
      SyntaxError: if the result is no valid Python, which is a bug of the tool.
    """
    source = split_statements(text, ast.parse(text))
    read_before = _make_edits(source, plan)
    added = [*sorted(plan.imports), *imports]
    drop_unused_imports(source, read_before, bound_names(added))
    add_imports(source, added, plan.statements)
    if not source.header and source.statements and not text.startswith(("\n", "\r")):
        first = source.statements[0]  # its blank lines followed something that is now removed
        first.above = list(dropwhile(lambda line: not line.strip(), first.above))
    after = source.text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # compile finds more errors than ast.parse, such as a late __future__; a notebook may await at its top level.
        compile(after, "rewritten", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return after


def _make_edits(source: Source, plan: Plan) -> set[str]:
    """Makes the edits of a plan, and returns the variables that the edited statements read before."""
    writer = writer_of(source.layout)
    wanted = _edits_by_line(plan)
    edits = {
        id(one): [edit for number in range(one.first, one.last + 1) for edit in wanted.get(number, ())]
        for one in source.statements
    }
    touched = [one for one in source.statements if edits[id(one)]]
    renamed = {id(one): changed for one in touched if (changed := replace_names(one, edits[id(one)])) is not None}
    others = [one for one in touched if id(one) not in renamed]
    lines = {id(one): statement_tree(one, writer) for one in others}
    ranges = {node: at for one in others for node, at in places(lines[id(one)], one.nodes, wanted, writer)}
    named = {name for one in touched for name in one.names}
    editor = Editor(writer, plan, ranges)
    editor.made |= {(type(edit), edit.span) for place in renamed for edit in edits[place]}
    statements: list[Statement] = []
    blanks: list[str] = []  # the blank lines above removed statements
    comments: list[str] = []  # the comments of removed statements that stay in the file
    for statement in source.statements:
        new = [renamed.get(id(statement), statement)]
        if id(statement) in renamed:
            new[0].above = [*new[0].above, *map(writer.code_for_node, editor.take_displaced())]
        if id(statement) in lines:
            new = _edit_statement(statement, lines[id(statement)], editor, writer)
            if not new:
                blanks = max(blanks, _blank_lines(statement.above), key=len)
                apart = list(map(writer.code_for_node, editor.take_displaced()))
                if apart:
                    is_over = apart[-1].strip().startswith("#") and not is_marker(apart[-1].strip())
                    comments += [*_blank_lines(statement.above), *apart, *([source.layout.newline] if is_over else [])]
                continue
        if comments and comments[-1] in _LINE_ENDS and _blank_lines(new[0].above):
            del comments[-1]
        above = [*comments, *new[0].above]
        new[0].above = [*blanks[len(_blank_lines(above)) :], *above]
        comments, blanks = [], []
        statements += new
    editor.check_all_made(plan)
    source.statements = statements
    source.footer = "".join(comments) + source.footer
    return named


def _blank_lines(lines: Sequence[str]) -> list[str]:
    """Returns the blank lines above the first comment."""
    return list(takewhile(lambda line: line in _LINE_ENDS, lines))


_LINE_ENDS = ("\n", "\r\n", "\r")


def _edits_by_line(plan: Plan) -> dict[int, list[Edit]]:
    """Returns the edits by the lines of the file on which their nodes begin."""
    found: dict[int, list[Edit]] = {}
    for edit in plan.edits:
        for span in (edit.span, *(edit.absorbs if isinstance(edit, InsertBefore) else ())):
            found.setdefault(span.line, []).append(edit)
    return found


def _edit_statement(statement: Statement, line: Line, editor: Editor, writer: cst.Module) -> list[Statement]:
    """Returns what an edited statement becomes; nothing if it is removed."""
    changed = line.visit(editor)
    if changed is line:
        return [statement]
    if isinstance(changed, cst.RemovalSentinel):
        return []
    return [statement_text(new, writer) for new in (changed if isinstance(changed, cst.FlattenSentinel) else [changed])]


_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_FORMATTED_STRING = re.compile(r"""\b(?:[fF][rR]?|[rR][fF])["']""")
"""A formatted string: Python up to 3.11 does not give the positions of its parts."""


def replace_names(statement: Statement, edits: Sequence[Edit]) -> Statement | None:
    """Returns a statement with dotted names replaced in its text; None where an edit does more than that."""
    longest: dict[tuple[int, int], tuple[int, str]] = {}  # `a.b` and `a` begin at one position: the longest wins
    for edit in edits:
        span = edit.span
        if (
            not isinstance(edit, ReplaceExpression)
            or span.line != span.end_line
            or not _NAME.fullmatch(edit.expression)
        ):
            return None
        known = longest.get((span.line, span.column))
        if known is None or known[0] <= span.end_column:
            longest[span.line, span.column] = span.end_column, edit.expression
    if _FORMATTED_STRING.search(statement.code):
        return None
    lines, first = LINE.findall(statement.code), statement.first + len(statement.above)
    for (number, column), (end, new) in sorted(longest.items(), reverse=True):
        line = lines[number - first] if 0 <= number - first < len(lines) else ""
        if not _NAME.fullmatch(line[column:end]):
            return None
        lines[number - first] = line[:column] + new + line[end:]
    return Statement(statement.above, "".join(lines), statement.first)
