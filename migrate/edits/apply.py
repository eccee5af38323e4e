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
from migrate.edits.new_imports import add_imports, bound_by
from migrate.edits.places import places
from migrate.edits.plan import Edit, InsertBefore, Plan, ReplaceExpression
from migrate.edits.statements import LINE, Source, Statement, split_statements
from migrate.edits.unused_imports import drop_unused_imports


def apply(text: str, plan: Plan, imports: Sequence[str] = ()) -> str:
    """Returns the rewritten text.

    Args:
      imports: import statements to add where their names are used, beside the plan's own.

    Raises:
      ParseFailure: if LibCST cannot parse what ``ast`` could.
      EditLost: if an edit is about a place that is not in the file; then the tool has made a mistake.
      SyntaxError: if the result is no Python; then the tool has made a mistake.
    """
    source = split_statements(text, ast.parse(text))
    gone = _edit(source, plan)
    added = [*sorted(plan.imports), *imports]
    drop_unused_imports(source, gone, bound_by(added))
    add_imports(source, added, plan.statements)
    if not source.header and source.statements and not text.startswith(("\n", "\r")):
        first = source.statements[0]  # whose blank lines parted it from what stood above it
        first.above = list(dropwhile(lambda line: not line.strip(), first.above))
    after = source.text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Sees more than ast.parse, a late __future__ for one; a notebook may await at its top level.
        compile(after, "rewritten", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return after


def _edit(source: Source, plan: Plan) -> set[str]:
    """Makes the edits of a plan; the variables that the statements with an edit named before."""
    writer = writer_of(source.layout)
    wanted = _by_line(plan)
    edits = {
        id(one): [edit for number in range(one.first, one.last + 1) for edit in wanted.get(number, ())]
        for one in source.statements
    }
    touched = [one for one in source.statements if edits[id(one)]]
    in_names = {id(one): changed for one in touched if (changed := replace_names(one, edits[id(one)])) is not None}
    others = [one for one in touched if id(one) not in in_names]
    lines = {id(one): statement_tree(one, writer) for one in others}
    ranges = {node: at for one in others for node, at in places(lines[id(one)], one.nodes, wanted, writer)}
    named = {name for one in touched for name in one.names}
    editor = Editor(writer, plan, ranges)
    editor.made |= {(type(edit), edit.span) for place in in_names for edit in edits[place]}
    statements: list[Statement] = []
    blanks: list[str] = []  # the blank lines above statements that went
    kept: list[str] = []  # comments of statements that went
    for statement in source.statements:
        new = [in_names.get(id(statement), statement)]
        if id(statement) in in_names:
            new[0].above = [*new[0].above, *map(writer.code_for_node, editor.take_displaced())]
        if id(statement) in lines:
            new = _edit_statement(statement, lines[id(statement)], editor, writer)
            if not new:
                blanks = max(blanks, _blank_lines(statement.above), key=len)
                apart = list(map(writer.code_for_node, editor.take_displaced()))
                if apart:
                    is_over = apart[-1].strip().startswith("#") and not is_marker(apart[-1].strip())
                    kept += [*_blank_lines(statement.above), *apart, *([source.layout.newline] if is_over else [])]
                continue
        if kept and kept[-1] in _LINE_ENDS and _blank_lines(new[0].above):
            del kept[-1]
        above = [*kept, *new[0].above]
        new[0].above = [*blanks[len(_blank_lines(above)) :], *above]
        kept, blanks = [], []
        statements += new
    editor.check_all_made(plan)
    source.statements = statements
    source.footer = "".join(kept) + source.footer
    return named


def _blank_lines(lines: Sequence[str]) -> list[str]:
    """The blank lines above the first comment."""
    return list(takewhile(lambda line: line in _LINE_ENDS, lines))


_LINE_ENDS = ("\n", "\r\n", "\r")


def _by_line(plan: Plan) -> dict[int, list[Edit]]:
    """The edits by the lines that they are about."""
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
_FORMATTED = re.compile(r"""\b(?:[fF][rR]?|[rR][fF])["']""")
"""Python up to 3.11 does not say where in the file the parts of a formatted string stand."""


def replace_names(statement: Statement, edits: Sequence[Edit]) -> Statement | None:
    """A statement with some dotted names in the place of others; None where an edit is of another kind."""
    longest: dict[tuple[int, int], tuple[int, str]] = {}  # names that stand in one another begin at one place
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
    if _FORMATTED.search(statement.code):
        return None
    lines, first = LINE.findall(statement.code), statement.first + len(statement.above)
    for (number, column), (end, new) in sorted(longest.items(), reverse=True):
        line = lines[number - first] if 0 <= number - first < len(lines) else ""
        if not _NAME.fullmatch(line[column:end]):
            return None
        lines[number - first] = line[:column] + new + line[end:]
    return Statement(statement.above, "".join(lines), statement.first)
