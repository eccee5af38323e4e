"""Applies a plan to a file's text with LibCST, so that every byte outside the edits stays."""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from migrate.rewrite.editor import Editor, Range, absorbed_by
from migrate.rewrite.form_feeds import with_form_feeds
from migrate.rewrite.format import with_indent
from migrate.rewrite.imports import add_imports, bound_by, drop_unused, loaded
from migrate.rewrite.inline import fitted
from migrate.rewrite.lines import Line, set_apart
from migrate.rewrite.plan import Plan


class NotParsed(Exception):
    """LibCST cannot parse what ``ast`` could; ``line`` says where it gave up."""

    def __init__(self, error: cst.ParserSyntaxError) -> None:
        super().__init__(f"cannot be rewritten: LibCST cannot parse it: {error.message.strip()}")
        self.line = max(error.raw_line, 1)


def apply(text: str, plan: Plan, imports: Sequence[str] = (), pieces: str = "") -> str:
    """The rewritten text.

    Args:
      text: the file's text.
      plan: the edits.
      imports: import statements to add where their names are used, beside the plan's own.
      pieces: source of emitted classes and functions to put below the imports; "" for none.

    Raises:
      NotParsed: if LibCST cannot parse what ``ast`` could.
      EditLost: if an edit is about a place that is not in the file; then the tool has made a mistake.
      SyntaxError: if the result is no Python; then the tool has made a mistake.
    """
    tree = ast.parse(text)
    try:
        module = with_form_feeds(cst.parse_module(text), text)
    except cst.ParserSyntaxError as error:
        raise NotParsed(error) from error
    module = _edited(module, tree, plan)
    edited = ast.parse(module.code)
    used = loaded(edited)
    if pieces:
        imports, pieces = fitted(imports, pieces, edited, plan.pieces, plan.aliases)
        pieces = with_indent(pieces, module.default_indent)
    added = [*sorted(plan.imports), *imports]
    module = drop_unused(module, loaded(tree) - used, used - bound_by(added, pieces))
    module = add_imports(module, added, pieces, used)
    after = module.code
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Sees more than ast.parse, a late __future__ for one; a notebook may await at its top level.
        compile(after, "rewritten", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return after


def _edited(module: cst.Module, tree: ast.Module, plan: Plan) -> cst.Module:
    """Visits only the module's statements that hold an edit: most of a large file has none."""
    touched = dict(_touched(module, tree, plan))
    editor = Editor(module, plan, _ranges(module, touched))
    body: list[Line] = []
    is_apart = False  # whether a statement that went stood apart from the one above it
    kept: list[cst.EmptyLine] = []  # comments of statements that went
    for statement in module.body:
        changed = statement.visit(editor) if statement in touched else statement
        if isinstance(changed, cst.RemovalSentinel):
            is_apart = is_apart or any(line.comment is None for line in statement.leading_lines)
            kept += editor.take_displaced()
            continue
        new: list[Line] = [*changed] if isinstance(changed, cst.FlattenSentinel) else [changed]
        if is_apart and not new[0].leading_lines:
            new[0] = new[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        if kept:
            new[0] = new[0].with_changes(leading_lines=[*new[0].leading_lines, *kept])
            kept = []
        body += new
        is_apart = False
    editor.check_all_made(plan)
    return module.with_changes(body=set_apart(module.body, body, 2), footer=[*kept, *module.footer])


def _touched(module: cst.Module, tree: ast.Module, plan: Plan) -> Iterator[tuple[Line, int]]:
    """The module's statements that hold an edit, and the lines where they begin."""
    lines = {edit.span.line for edit in plan.edits}
    for edit in plan.edits:
        lines.update(span.line for span in absorbed_by(edit))
    nodes, above = iter(tree.body), 0
    for statement in module.body:
        # `a; b` is one line of two statements for LibCST.
        size = len(statement.body) if isinstance(statement, cst.SimpleStatementLine) else 1
        own = [next(nodes) for _ in range(size)]
        last = own[-1].end_lineno or own[-1].lineno
        if any(above < line <= last for line in lines):
            yield statement, own[0].lineno
        above = last


def _ranges(module: cst.Module, touched: Mapping[Line, int]) -> dict[cst.CSTNode, Range]:
    """Where every node of some of the module's statements stands in the file."""
    ranges: dict[cst.CSTNode, Range] = {}
    for statement, line in touched.items():
        alone = MetadataWrapper(module.with_changes(header=(), body=[statement], footer=()), unsafe_skip_copy=True)
        found = alone.resolve(PositionProvider)
        above = line - found[statement].start.line
        for node, at in found.items():
            ranges[node] = (at.start.line + above, at.start.column, at.end.line + above, at.end.column)
    return ranges
