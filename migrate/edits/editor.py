"""Makes the edits of a plan in LibCST's tree, at their positions in the old text."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeGuard, TypeVar

import libcst as cst

from migrate.edits.calls import fit_argument, has_comments, lay_out_call, lost_comments, set_argument
from migrate.edits.lines import (
    Line,
    add_hanging_indent,
    blank_count,
    blank_lines,
    comment_line,
    comments_of,
    detached_comments,
    format_source,
    join_lines,
    markers_above,
    suite_header,
)
from migrate.edits.places import Range
from migrate.edits.plan import (
    Decorate,
    Edit,
    InsertBefore,
    LoopOver,
    Plan,
    ReplaceExpression,
    ReplaceStatement,
    SetArgument,
)
from migrate.findings.finding import Span

_AnyEdit = TypeVar("_AnyEdit", bound=Edit)
_Place = tuple[int, int]
_NOWHERE = (0, 0, 0, 0)
_Test = cst.BooleanOperation | cst.UnaryOperation | cst.Comparison | cst.NamedExpr | cst.Subscript | cst.IfExp
_Text = cst.FormattedString | cst.ConcatenatedString
_Replaceable = cst.BinaryOperation | cst.Call | cst.Attribute | cst.List | cst.Name | cst.SimpleString | _Text | _Test
_Compound = TypeVar("_Compound", cst.FunctionDef, cst.ClassDef)
_Changed = cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel


class EditLost(Exception):
    """No node of the file is at the position of an edit, so that the program would be rewritten only in part."""


class Editor(cst.CSTTransformer):
    """Changes the nodes at the positions of the edits."""

    def __init__(self, module: cst.Module, plan: Plan, ranges: Mapping[cst.CSTNode, Range]) -> None:
        super().__init__()
        self.module = module
        self.ranges = ranges
        self.statements: dict[_Place, ReplaceStatement] = {}
        self.expressions: dict[Range, ReplaceExpression] = {}
        self.decorators: dict[_Place, Decorate] = {}
        self.loops: dict[_Place, LoopOver] = {}
        self.above: dict[_Place, list[InsertBefore]] = {}
        self.arguments: dict[Range, list[SetArgument]] = {}
        self.made: set[tuple[type, Span]] = set()  # the edits that are made, by kind and span
        self.deleted = {(span.line, span.column) for span in plan.deletions}
        self.displaced: list[str] = []  # comments of replaced or removed parts of the statement
        written = [edit.value or "" for edit in plan.edits if isinstance(edit, SetArgument)]
        self._written = [line for value in written for line in value.splitlines()]
        self.pending: list[cst.EmptyLine] = []  # lines above removed statements, for the next statement of the block
        self._outer: list[list[cst.EmptyLine]] = []  # the pending lines of the enclosing blocks
        self._above: dict[cst.CSTNode, list[cst.EmptyLine]] = {}  # the pending lines for a compound statement
        for edit in plan.edits:
            if isinstance(edit, ReplaceStatement):
                known = self.statements.get((edit.span.line, edit.span.column))
                if known is None or edit.statements:
                    self.statements[edit.span.line, edit.span.column] = edit
            elif isinstance(edit, ReplaceExpression):
                self.expressions[_range(edit.span)] = edit
            elif isinstance(edit, SetArgument):
                self.arguments.setdefault(_range(edit.span), []).append(edit)
            elif isinstance(edit, InsertBefore):
                self.above.setdefault((edit.span.line, edit.span.column), []).append(edit)
            elif isinstance(edit, LoopOver):
                self.loops[edit.span.line, edit.span.column] = edit
            else:
                self.decorators[edit.span.line, edit.span.column] = edit
        self.lines = {self._place(node): node for node in ranges if self._is_replaced_whole(node)}
        self.places = [(edit.span.line, edit.span.column) for edit in plan.edits]

    def check_all_made(self, plan: Plan) -> None:
        """Raises EditLost for an edit that was not made, unless another edit replaced the code around it."""
        replaced = [span for kind, span in self.made if kind in (ReplaceStatement, ReplaceExpression)]
        for edit in plan.edits:
            is_replaced = any(edit.span != span and _contains(_range(span), _range(edit.span)) for span in replaced)
            if (type(edit), edit.span) not in self.made and not is_replaced:
                raise EditLost(f"{type(edit).__name__} at line {edit.span.line}, column {edit.span.column + 1}")

    def take_displaced(self) -> list[cst.EmptyLine]:
        """Returns, and forgets, the comments that still need a line."""
        pending, self.pending = [line for line in self.pending if line.comment is not None], []
        displaced, self.displaced = [comment_line(comment) for comment in self.displaced], []
        return pending + displaced

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Visits the children of statements that contain an edit, or that may take comments of one."""
        if isinstance(node, cst.IndentedBlock):
            self._outer.append(self.pending)
            self.pending = []
        elif isinstance(node, cst.BaseCompoundStatement):
            self._above[node], self.pending = self.pending, []
        # Decorators are above the range of their function or class.
        if self.pending or self.displaced or not isinstance(node, _STATEMENTS) or getattr(node, "decorators", None):
            return True
        where = self.ranges.get(node, _NOWHERE)
        return any(where[:2] <= place <= where[2:] for place in self.places)

    def _mark_made(self, edit: _AnyEdit) -> _AnyEdit:
        self.made.add((type(edit), edit.span))
        return edit

    def _place(self, node: cst.CSTNode) -> _Place:
        return self.ranges.get(node, _NOWHERE)[:2]

    def _is_replaced_whole(self, node: cst.CSTNode) -> TypeGuard[cst.SimpleStatementLine]:
        """Whether every statement of a line is replaced: if only `b` of `a; b` is, the comments stay with `a`."""
        return isinstance(node, cst.SimpleStatementLine) and all(self._place(s) in self.statements for s in node.body)

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        updated_node = self._add_pending_lines(original_node, updated_node)
        decorated = self.decorators.get(self._place(original_node))
        if decorated is None:
            return updated_node
        decorator = cst.Decorator(cst.parse_expression(self._mark_made(decorated).decorator))
        return updated_node.with_changes(decorators=[decorator, *updated_node.decorators])

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        return self._add_pending_lines(original_node, updated_node)

    def _add_pending_lines(self, original: _Compound, updated: _Compound) -> _Compound:
        pending = self._above.pop(original, [])
        return updated.with_changes(leading_lines=join_lines(pending, updated.leading_lines)) if pending else updated

    def _compound(self, original_node: cst.BaseCompoundStatement, updated_node: cst.BaseCompoundStatement) -> _Changed:
        return self._insert_above(original_node, updated_node, self._above.pop(original_node, []))

    leave_For = leave_If = leave_Match = leave_Try = leave_TryStar = leave_With = _compound

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> _Changed:
        edit, (_, column) = self.loops.get(self._place(original_node)), self._place(original_node)
        if edit is None:
            return self._compound(original_node, updated_node)
        head = f"for {self._mark_made(edit).target} in {edit.iterable}:\n    pass\n"
        made = cst.ensure_type(cst.parse_statement(format_source(head, column, self.module.default_indent)), cst.For)
        names = ("body", "orelse", "leading_lines")
        return self._compound(original_node, made.with_changes(**{one: getattr(updated_node, one) for one in names}))

    def _insert_above(self, original: Line, updated: Line, pending: Sequence[cst.EmptyLine]) -> _Changed:
        """Returns a statement that stays, with the lines inserted above it and those of removed statements above it."""
        place = self._place(original.body[0] if isinstance(original, cst.SimpleStatementLine) else original)
        new, comments_only = self._lines_above(place)
        for absorbs in comments_only:
            updated = self._add_absorbed_comments(updated, absorbs, place)
        if not new:
            if pending:
                updated = updated.with_changes(leading_lines=join_lines(pending, updated.leading_lines))
            return updated
        comments = [line for line in new[0].leading_lines if line.comment is not None]
        blank = [line for line in updated.leading_lines[:1] if line.comment is None]
        new[0] = new[0].with_changes(leading_lines=join_lines(pending, [*blank, *comments]))
        return cst.FlattenSentinel([*new, updated])

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body = updated_node.body or [cst.parse_statement("pass")]
        updated_node = updated_node.with_changes(body=body, footer=[*self.take_displaced(), *updated_node.footer])
        self.pending = self._outer.pop()
        return updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        where = self.ranges.get(original_node)
        edits = self.arguments.get(where, []) if where is not None else []
        for edit in edits:
            lost = lost_comments(updated_node, edit)
            self.displaced += [one for one in lost if not any(line.endswith(one) for line in self._written)]
            updated_node = set_argument(updated_node, self._fit_argument(self._mark_made(edit), where), self.module)
        if where is not None and any(edit.fits for edit in edits):
            first, hang = self._first_columns.get(where[0], where[1]), self._hanging_indent(where)
            brings_comments = where[0] == where[2] and any(has_comments(edit.value or "") for edit in edits)
            updated_node = lay_out_call(updated_node, where[1], first, hang, self.module, brings_comments)
        return self._replace_expression(original_node, updated_node)

    def _fit_argument(self, edit: SetArgument, where: Range | None) -> SetArgument:
        if where is None or not edit.fits or where[0] == where[2]:
            return edit
        line = where[0] + 1
        column = self._first_columns.get(line, where[1])
        return fit_argument(edit, column, self._hanging_indent((line, column, line, column)), self.module)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> _Changed:
        original, updated = original_node, updated_node
        pending, self.pending = self.pending, []
        displaced = self.take_displaced()
        if not self._needs_separate_lines(original):
            if displaced:
                updated = updated.with_changes(leading_lines=[*updated.leading_lines, *displaced])
            return self._insert_above(original, updated, pending)
        lines = self._replace_statements(original.body, updated.body)
        if not lines:
            is_deleted = self._place(original.body[0]) in self.deleted
            above = detached_comments(original) if is_deleted else markers_above(original)
            blank = [line for line in original.leading_lines[:1] if line.comment is None]
            self.pending = join_lines(pending, [*blank, *displaced, *map(comment_line, above)])
            return cst.RemoveFromParent()
        last = lines[-1]
        if isinstance(last, cst.SimpleStatementLine) and last.trailing_whitespace.comment is None:
            # A comment at the end of a line is about that line, for people and tools: it stays there.
            lines[-1] = last.with_changes(trailing_whitespace=original.trailing_whitespace)
        # The new code contains an argument that it keeps together with its comments.
        new_text = "".join(self.module.code_for_node(line) for line in lines)
        inner = [comment for comment in comments_of(original.with_changes(leading_lines=[])) if comment not in new_text]
        blanks = [line for line in lines[0].leading_lines if line.comment is None]
        earlier = [line for line in displaced if line.comment and line.comment.value not in "".join([new_text, *inner])]
        moved = [
            *earlier,
            *map(comment_line, inner),
            *(line for line in lines[0].leading_lines if line.comment is not None),
        ]
        if any(line.comment is None for line in original.leading_lines):
            blanks = []
        leading = [*blanks, *original.leading_lines, *moved]
        lines[0] = lines[0].with_changes(leading_lines=join_lines(pending, leading))
        return cst.FlattenSentinel(lines)

    def _needs_separate_lines(self, line: cst.SimpleStatementLine) -> bool:
        """Whether the statements of `a; b` must be written on separate lines."""
        first, *others = map(self._place, line.body)
        return any(place in self.statements for place in (first, *others)) or any(p in self.above for p in others)

    def _replace_statements(
        self, original: Iterable[cst.BaseSmallStatement], updated: Iterable[cst.BaseSmallStatement]
    ) -> list[Line]:
        """Returns the statements of one line on separate lines, with the edited ones replaced."""
        lines: list[Line] = []
        for old, new in zip(original, updated, strict=True):
            place = self._place(old)
            above, comments_only = self._lines_above(place)
            edit = self.statements.get(place)
            if edit is None:
                made: list[Line] = [cst.SimpleStatementLine([new.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])]
            else:
                made = [line for text in self._mark_made(edit).statements for line in self._new_lines(text, place[1])]
            for absorbs in comments_only if made else []:
                made[0] = self._add_absorbed_comments(made[0], absorbs, place)
            lines += [*above, *made]
        return lines

    def _lines_above(self, place: _Place) -> tuple[list[Line], list[Sequence[Span]]]:
        """Returns the lines to insert above a statement, and removed statements of which only the comments stay."""
        edits = [self._mark_made(edit) for edit in self.above.get(place, [])]
        lines = [
            line for one in edits if one.statements for line in self._new_lines(one.statements, place[1], one.absorbs)
        ]
        return lines, [one.absorbs for one in edits if not one.statements]

    def _new_lines(self, statements: str, column: int, absorbs: Iterable[Span] = ()) -> list[Line]:
        source = format_source(statements, column, self.module.default_indent)
        lines: list[Line] = list(cst.parse_module(source, config=self.module.config_for_parsing).body)
        absorbed = [node for span in absorbs if (node := self.lines.get((span.line, span.column)))]
        comments = self._take_comments(absorbs, source)
        has_blank = any(line.comment is None for node in absorbed for line in node.leading_lines)
        blank = [cst.EmptyLine(indent=False)] if has_blank else []
        # LibCST would indent the blank lines, which it parsed at column 0; inside a block one is enough.
        lines = [line.with_changes(leading_lines=blank_lines(line, column)) for line in lines]
        lines[0] = lines[0].with_changes(leading_lines=[*blank, *comments])
        return lines

    def _add_absorbed_comments(self, line: Line, spans: Iterable[Span], place: _Place) -> Line:
        """Returns a statement with the comments of removed ones, in file order, and the blank lines above them."""
        above, below = (
            self._take_comments(
                [span for span in spans if (span.line < place[0]) == is_above], self.module.code_for_node(line)
            )
            for is_above in (True, False)
        )
        own = list(line.leading_lines)
        nodes = [node for span in spans if (node := self.lines.get((span.line, span.column)))]
        blanks = max((blank_count(node.leading_lines) for node in nodes if not markers_above(node)), default=0)
        missing = [cst.EmptyLine(indent=False)] * max(0, blanks - blank_count(own))
        kept = own[blank_count(own) :]
        return line.with_changes(leading_lines=[*own[: blank_count(own)], *missing, *above, *kept, *below])

    def _take_comments(self, spans: Iterable[Span], source: str = "") -> list[cst.EmptyLine]:
        """Returns the comments of removed statements that the new code ``source`` does not contain."""
        nodes = [node for span in spans if (node := self.lines.get((span.line, span.column)))]
        comments = [one for node in nodes for one in comments_of(node) if one not in markers_above(node)]
        return [comment_line(comment) for comment in comments if comment not in source]

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        """Turns the suite of ``if x: a; b`` into a block if a statement in it is replaced or one is inserted."""
        places = map(self._place, original_node.body)
        if not any(place in self.statements or place in self.above for place in places):
            return updated_node
        lines = self._replace_statements(original_node.body, updated_node.body) or [cst.parse_statement("pass")]
        return cst.IndentedBlock(lines, header=suite_header(original_node))

    def _replace_expression(self, original_node: _Replaceable, updated_node: _Replaceable) -> cst.BaseExpression:
        where = self.ranges.get(original_node)
        edit = self.expressions.get(where) if where is not None else None
        if where is None or edit is None:
            return updated_node
        source = self._mark_made(edit).expression
        old = self.module.code_for_node(original_node.with_changes(lpar=(), rpar=()))
        if not source.startswith(old) and not source.endswith(f"({old})"):
            source = format_source(source, where[1], self.module.default_indent).rstrip("\n")
        if "\n" in source:
            source = add_hanging_indent(source, self._hanging_indent(where))
        expression = cst.parse_expression(source, config=self.module.config_for_parsing)
        kept = self.module.code_for_node(expression)  # without comments that black moves to its end
        self.displaced += [comment for comment in comments_of(original_node) if comment not in kept]
        if original_node.lpar and not getattr(expression, "lpar", ()):
            return expression.with_changes(lpar=original_node.lpar, rpar=original_node.rpar)
        return expression

    leave_Attribute = leave_List = leave_Name = leave_SimpleString = leave_Subscript = _replace_expression
    leave_FormattedString = leave_ConcatenatedString = _replace_expression
    leave_BinaryOperation = leave_BooleanOperation = leave_UnaryOperation = leave_Comparison = _replace_expression
    leave_NamedExpr = leave_IfExp = _replace_expression

    def _hanging_indent(self, where: Range) -> int:
        """Returns by how many columns the line on which an expression begins is indented beyond its block."""
        line = self._first_columns.get(where[0], where[1])  # no node begins on a line inside a string
        return max(0, line - max((block[1] for block in self._blocks if _contains(block, where)), default=line))

    @cached_property
    def _first_columns(self) -> dict[int, int]:
        first: dict[int, int] = {}
        for node, (line, column, *_) in self.ranges.items():
            if isinstance(node, _NODES_ON_LINES):
                first[line] = min(column, first.get(line, column))
        return first

    @cached_property
    def _blocks(self) -> list[Range]:
        return [where for node, where in self.ranges.items() if isinstance(node, _STATEMENTS)]


_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)
_NODES_ON_LINES = (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseStatement, cst.Arg, cst.BaseElement)


def _contains(outer: Range, inner: Range) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _range(span: Span) -> Range:
    return span.line, span.column, span.end_line, span.end_column
