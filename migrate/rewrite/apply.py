"""Applies a plan to a file's text with LibCST, so that every byte outside the edits stays."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeGuard, TypeVar

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider

from migrate.finding import Span
from migrate.rewrite.format import formatted, hung
from migrate.rewrite.imports import add_imports, bound_by, drop_unused, loaded
from migrate.rewrite.inline import fitted
from migrate.rewrite.plan import (
    AddElement,
    Edit,
    InsertBefore,
    InsertFirst,
    Part,
    Plan,
    Redefine,
    ReplaceExpression,
    ReplaceStatement,
    SetArgument,
)

_AnyEdit = TypeVar("_AnyEdit", bound=Edit)
_Place = tuple[int, int]
_Range = tuple[int, int, int, int]
_Replaceable = cst.Call | cst.Attribute | cst.List | cst.Name | cst.SimpleString
_Line = cst.SimpleStatementLine | cst.BaseCompoundStatement
_Changed = cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel


class NotParsed(Exception):
    """LibCST cannot parse what ``ast`` could; ``line`` says where it gave up."""

    def __init__(self, error: cst.ParserSyntaxError) -> None:
        super().__init__(f"cannot be rewritten: LibCST cannot parse it: {error.message.strip()}")
        self.line = max(error.raw_line, 1)


class EditLost(Exception):
    """An edit found no place in the file, so that the rewritten program would be half a program."""


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
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise NotParsed(error) from error
    module = _edited(module, tree, plan)
    edited = ast.parse(module.code)
    used = loaded(edited)
    if pieces:
        imports, pieces = fitted(imports, pieces, edited, plan.pieces)
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
    editor = _Editor(module, plan, _ranges(module, touched))
    body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement] = []
    is_apart = False  # whether a statement that went stood apart from the one above it
    kept: list[cst.EmptyLine] = []  # comments of statements that went
    for statement in module.body:
        changed = statement.visit(editor) if statement in touched else statement
        if isinstance(changed, cst.RemovalSentinel):
            is_apart = is_apart or any(line.comment is None for line in statement.leading_lines)
            kept += editor.take_displaced()
            continue
        new: list[_Line] = [*changed] if isinstance(changed, cst.FlattenSentinel) else [changed]
        if is_apart and not new[0].leading_lines:
            new[0] = new[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        if kept:
            new[0] = new[0].with_changes(leading_lines=[*new[0].leading_lines, *kept])
            kept = []
        body += new
        is_apart = False
    editor.check_all_made(plan)
    return module.with_changes(body=body, footer=[*kept, *module.footer])


def _touched(module: cst.Module, tree: ast.Module, plan: Plan) -> Iterator[tuple[_Line, int]]:
    """The module's statements that hold an edit, and the lines where they begin."""
    lines = {edit.span.line for edit in plan.edits}
    for edit in plan.edits:
        lines.update(span.line for span in _absorbed(edit))
    nodes, above = iter(tree.body), 0
    for statement in module.body:
        # `a; b` is one line of two statements for LibCST.
        size = len(statement.body) if isinstance(statement, cst.SimpleStatementLine) else 1
        own = [next(nodes) for _ in range(size)]
        last = own[-1].end_lineno or own[-1].lineno
        if any(above < line <= last for line in lines):
            yield statement, own[0].lineno
        above = last


def _absorbed(edit: Edit) -> Iterator[Span]:
    """The removed statements whose comments an edit takes over."""
    if isinstance(edit, ReplaceStatement):
        yield from (span for part in edit.parts for span in part.absorbs)
    elif isinstance(edit, InsertBefore):
        yield from edit.absorbs


def _ranges(module: cst.Module, touched: Mapping[_Line, int]) -> dict[cst.CSTNode, _Range]:
    """Where every node of some of the module's statements stands in the file."""
    ranges: dict[cst.CSTNode, _Range] = {}
    for statement, line in touched.items():
        alone = MetadataWrapper(module.with_changes(header=(), body=[statement], footer=()), unsafe_skip_copy=True)
        found = alone.resolve(PositionProvider)
        above = line - found[statement].start.line
        for node, at in found.items():
            ranges[node] = (at.start.line + above, at.start.column, at.end.line + above, at.end.column)
    return ranges


class _Editor(cst.CSTTransformer):
    """Replaces nodes by their positions in the old text."""

    def __init__(self, module: cst.Module, plan: Plan, ranges: Mapping[cst.CSTNode, _Range]) -> None:
        super().__init__()
        self.module = module
        self.ranges = ranges
        self.statements: dict[_Place, ReplaceStatement] = {}
        self.expressions: dict[_Range, ReplaceExpression] = {}
        self.functions: dict[_Place, list[Redefine | InsertFirst]] = {}
        self.above: dict[_Place, list[InsertBefore]] = {}
        self.arguments: dict[_Range, list[SetArgument]] = {}
        self.elements: dict[_Range, list[AddElement]] = {}
        self.made: set[tuple[type, Span]] = set()  # the edits that have found their place
        self.absorbed = {(span.line, span.column) for edit in plan.edits for span in _absorbed(edit)}
        self.displaced: list[str] = []  # comments of what is replaced or goes, on their way to the next line
        for edit in plan.edits:
            if isinstance(edit, ReplaceStatement):
                known = self.statements.get((edit.span.line, edit.span.column))
                if known is None or edit.parts:
                    self.statements[edit.span.line, edit.span.column] = edit
            elif isinstance(edit, ReplaceExpression):
                self.expressions[_range(edit.span)] = edit
            elif isinstance(edit, SetArgument):
                self.arguments.setdefault(_range(edit.span), []).append(edit)
            elif isinstance(edit, AddElement):
                self.elements.setdefault(_range(edit.span), []).append(edit)
            elif isinstance(edit, InsertBefore):
                self.above.setdefault((edit.span.line, edit.span.column), []).append(edit)
            else:
                self.functions.setdefault((edit.span.line, edit.span.column), []).append(edit)
        self.lines = {self._place(node): node for node in ranges if self._is_replaced_whole(node)}

    def check_all_made(self, plan: Plan) -> None:
        """Raises EditLost for an edit that was not made, unless it is about something inside what another replaced."""
        replaced = [span for kind, span in self.made if kind in (ReplaceStatement, ReplaceExpression)]
        for edit in plan.edits:
            if (type(edit), edit.span) not in self.made and not any(_is_inside(edit.span, span) for span in replaced):
                raise EditLost(f"{type(edit).__name__} at line {edit.span.line}, column {edit.span.column + 1}")

    def take_displaced(self) -> list[cst.EmptyLine]:
        """The comments that still need a line."""
        displaced, self.displaced = [_comment_line(comment) for comment in self.displaced], []
        return displaced

    def _make(self, edit: _AnyEdit) -> _AnyEdit:
        self.made.add((type(edit), edit.span))
        return edit

    def _place(self, node: cst.CSTNode) -> _Place:
        return self.ranges[node][:2]

    def _is_replaced_whole(self, node: cst.CSTNode) -> TypeGuard[_Line]:
        """Whether a line's comments go with it: in `a; b` they stay with `a` where only `b` goes."""
        if isinstance(node, cst.SimpleStatementLine):
            return all(self._place(small) in self.statements for small in node.body)
        return isinstance(node, cst.BaseCompoundStatement)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> _Changed:
        return self._statement_line(original_node, updated_node)

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        return self._suite(original_node, updated_node)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.RemovalSentinel:
        removed = self.statements.get(self._place(original_node))
        if removed is not None:
            self._make(removed)
            return cst.RemoveFromParent()
        return self._function(original_node, updated_node)

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> _Changed:
        return self._block(original_node, updated_node)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> _Changed:
        return self._block(original_node, updated_node)

    def leave_Try(self, original_node: cst.Try, updated_node: cst.Try) -> _Changed:
        return self._block(original_node, updated_node)

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> _Changed:
        return self._block(original_node, updated_node)

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> _Changed:
        return self._block(original_node, updated_node)

    def _block(self, original: cst.BaseCompoundStatement, updated: cst.BaseCompoundStatement) -> _Changed:
        """A compound statement: removed, replaced by lines, or with lines above it."""
        place = self._place(original)
        edit = self.statements.get(place)
        if edit is None:
            return self._below_new(original, updated)
        lines: list[_Line] = []
        for part in self._make(edit).parts:
            lines += self._new_lines(part, place[1])
        if not lines:
            return cst.RemoveFromParent()
        new_text = "".join(part.statements for part in edit.parts)
        inner = _comments(original.with_changes(leading_lines=[]))
        moved = [_comment_line(comment) for comment in inner if comment not in new_text]
        lines[0] = lines[0].with_changes(leading_lines=[*original.leading_lines, *moved, *lines[0].leading_lines])
        return cst.FlattenSentinel(lines)

    def _below_new(self, original: _Line, updated: _Line) -> _Changed:
        """A statement that stays, below the lines that are put above it."""
        place = self._place(original.body[0] if isinstance(original, cst.SimpleStatementLine) else original)
        new: list[_Line] = []
        for edit in map(self._make, self.above.get(place, [])):
            new += self._new_lines(Part(edit.statements, edit.absorbs), place[1])
        if not new:
            return updated
        comments = [line for line in new[0].leading_lines if line.comment is not None]
        blank = [line for line in updated.leading_lines[:1] if line.comment is None]
        new[0] = new[0].with_changes(leading_lines=[*blank, *comments])
        return cst.FlattenSentinel([*new, updated])

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body = _set_apart(original_node.body, updated_node.body, 1) or [cst.parse_statement("pass")]
        return updated_node.with_changes(body=body, footer=[*self.take_displaced(), *updated_node.footer])

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=_set_apart(original_node.body, updated_node.body, 2))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        where = self.ranges.get(original_node)
        for edit in self.arguments.get(where, []) if where is not None else ():
            self.displaced += _lost_comments(updated_node, edit)
            updated_node = _with_argument(updated_node, self._make(edit), self.module)
        return self._expression(original_node, updated_node)

    def leave_List(self, original_node: cst.List, updated_node: cst.List) -> cst.BaseExpression:
        where = self.ranges.get(original_node)
        for edit in self.elements.get(where, []) if where is not None else ():
            updated_node = _with_element(updated_node, self._make(edit), self.module)
        return self._expression(original_node, updated_node)

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.BaseExpression:
        return self._expression(original_node, updated_node)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return self._expression(original_node, updated_node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._expression(original_node, updated_node)

    def _statement_line(self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine) -> _Changed:
        displaced = self.take_displaced()
        if not self._is_taken_apart(original):
            if displaced:
                updated = updated.with_changes(leading_lines=[*updated.leading_lines, *displaced])
            return self._below_new(original, updated)
        lines = self._replaced(original.body, updated.body)
        if not lines:
            if self._place(original.body[0]) not in self.absorbed:
                self.displaced = [line.comment.value for line in displaced if line.comment] + _comments(original)
            return cst.RemoveFromParent()
        # A comment inside an argument that is carried over stands in the new code already.
        new_text = "".join(self.module.code_for_node(line) for line in lines)
        inner = [comment for comment in _comments(original.with_changes(leading_lines=[])) if comment not in new_text]
        blanks = [line for line in lines[0].leading_lines if line.comment is None]
        earlier = [line for line in displaced if line.comment and line.comment.value not in "".join([new_text, *inner])]
        moved = [
            *earlier,
            *map(_comment_line, inner),
            *(line for line in lines[0].leading_lines if line.comment is not None),
        ]
        if any(line.comment is None for line in original.leading_lines):
            blanks = []
        lines[0] = lines[0].with_changes(leading_lines=[*blanks, *original.leading_lines, *moved])
        return cst.FlattenSentinel(lines)

    def _is_taken_apart(self, line: cst.SimpleStatementLine) -> bool:
        """Whether the statements of `a; b` need lines of their own: one is replaced, or something goes between them."""
        first, *others = map(self._place, line.body)
        return any(place in self.statements for place in (first, *others)) or any(p in self.above for p in others)

    def _replaced(
        self, original: Iterable[cst.BaseSmallStatement], updated: Iterable[cst.BaseSmallStatement]
    ) -> list[_Line]:
        """The statements of one line, each on a line of its own, with the edited ones replaced."""
        lines: list[_Line] = []
        for old, new in zip(original, updated, strict=True):
            place = self._place(old)
            for above in map(self._make, self.above.get(place, [])):
                lines += self._new_lines(Part(above.statements, above.absorbs), place[1])
            edit = self.statements.get(place)
            if edit is None:
                lines.append(cst.SimpleStatementLine([new.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]))
                continue
            for part in self._make(edit).parts:
                lines += self._new_lines(part, place[1])
        return lines

    def _new_lines(self, part: Part, column: int) -> list[_Line]:
        source = formatted(part.statements, column, self.module.default_indent)
        lines: list[_Line] = list(cst.parse_module(source, config=self.module.config_for_parsing).body)
        absorbed = [node for span in part.absorbs if (node := self.lines.get((span.line, span.column)))]
        # A comment inside an expression that is carried over stands in the new code already.
        comments = [_comment_line(c) for node in absorbed for c in _comments(node) if c not in source]
        has_blank = any(line.comment is None for node in absorbed for line in node.leading_lines)
        blank = [cst.EmptyLine(indent=False)] if has_blank else []
        # Parsed at the margin, a blank line would be indented where it goes; inside a block one is enough.
        lines = [line.with_changes(leading_lines=_blank_lines(line, column)) for line in lines]
        lines[0] = lines[0].with_changes(leading_lines=[*blank, *comments])
        return lines

    def _suite(self, original: cst.SimpleStatementSuite, updated: cst.SimpleStatementSuite) -> cst.BaseSuite:
        """``if x: a; b`` becomes a block where one of its statements is replaced, or something goes above it."""
        if not any(place in self.statements or place in self.above for place in map(self._place, original.body)):
            return updated
        lines = self._replaced(original.body, updated.body) or [cst.parse_statement("pass")]
        return cst.IndentedBlock(lines, header=_header(original))

    def _function(self, original: cst.FunctionDef, updated: cst.FunctionDef) -> cst.FunctionDef:
        for edit in map(self._make, self.functions.get(self._place(original), [])):
            if isinstance(edit, Redefine):
                definition = cst.parse_statement(f"def {edit.name}({edit.parameters}): ...")
                assert isinstance(definition, cst.FunctionDef)
                lost = [*_comments(original.whitespace_before_params), *_comments(original.params)]
                updated = updated.with_changes(
                    name=definition.name,
                    params=definition.params,
                    returns=None,
                    whitespace_before_params=cst.SimpleWhitespace(""),
                    leading_lines=[*updated.leading_lines, *map(_comment_line, lost)],
                )
            else:
                updated = _with_first(updated, edit.statements)
        return updated

    def _expression(self, original: _Replaceable, updated: _Replaceable) -> cst.BaseExpression:
        where = self.ranges.get(original)
        edit = self.expressions.get(where) if where is not None else None
        if where is None or edit is None:
            return updated
        source = formatted(self._make(edit).expression, where[1], self.module.default_indent).rstrip("\n")
        self.displaced += [comment for comment in _comments(original) if comment not in source]
        source = hung(source, self._hang(where))
        expression = cst.parse_expression(source, config=self.module.config_for_parsing)
        if original.lpar and not getattr(expression, "lpar", ()):
            return expression.with_changes(lpar=original.lpar, rpar=original.rpar)
        return expression

    def _hang(self, where: _Range) -> int:
        """How far the line that an expression begins on is indented beyond its block."""
        line = min(start[1] for node, start in self.ranges.items() if start[0] == where[0] and isinstance(node, _SHOWN))
        blocks = [start[1] for node, start in self.ranges.items() if isinstance(node, _LINES) and _holds(start, where)]
        return max(0, line - max(blocks, default=line))


_LINES = (cst.SimpleStatementLine, cst.BaseCompoundStatement)
_SHOWN = (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseStatement, cst.Arg, cst.BaseElement)


def _holds(outer: _Range, inner: _Range) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _is_inside(inner: Span, outer: Span) -> bool:
    return inner != outer and _holds(_range(outer), _range(inner))


def _range(span: Span) -> _Range:
    return span.line, span.column, span.end_line, span.end_column


def _index(call: cst.Call, edit: SetArgument) -> int | None:
    """Which of a call's arguments an edit is about; None for none of them."""
    at, position = None, edit.position
    for index, arg in enumerate(call.args):
        is_named = arg.keyword is not None and arg.keyword.value == edit.name
        if is_named or (index == position and arg.keyword is None and not arg.star):
            at = index
    return at


def _lost_comments(call: cst.Call, edit: SetArgument) -> list[str]:
    """The comments inside and behind an argument that goes."""
    at = _index(call, edit)
    return _comments(call.args[at]) if at is not None and edit.value is None else []


def _with_argument(call: cst.Call, edit: SetArgument, module: cst.Module) -> cst.Call:
    args, at = list(call.args), _index(call, edit)
    if edit.value is None:
        if at is not None:
            gone = args.pop(at)
            if at == len(args) and args:  # the last one: what stood before the bracket still does
                args[-1] = args[-1].with_changes(comma=gone.comma)
        return call.with_changes(args=args)
    value = cst.parse_expression(edit.value, config=module.config_for_parsing)
    if at is not None:
        args[at] = args[at].with_changes(value=value)
        return call.with_changes(args=args)
    new = cst.Arg(value, cst.Name(edit.name), equal=_EQUAL)
    if args:
        last, between = args[-1], _between(args, call.whitespace_before_args)
        args[-1] = last.with_changes(comma=cst.Comma(whitespace_after=between))
        new = new.with_changes(comma=last.comma)
    return call.with_changes(args=[*args, new])


def _with_element(display: cst.List, edit: AddElement, module: cst.Module) -> cst.List:
    new = cst.Element(cst.parse_expression(edit.element, config=module.config_for_parsing))
    old = list(display.elements)
    if not old:
        return display.with_changes(elements=[new])
    comma = cst.Comma(whitespace_after=_between(old, display.lbracket.whitespace_after))
    if edit.first:
        return display.with_changes(elements=[new.with_changes(comma=comma), *old])
    last = old[-1]
    old[-1] = last.with_changes(comma=comma)
    return display.with_changes(elements=[*old, new.with_changes(comma=last.comma)])


def _between(
    parts: Sequence[cst.Arg] | Sequence[cst.BaseElement], opening: cst.BaseParenthesizableWhitespace
) -> cst.BaseParenthesizableWhitespace:
    """What stands between two parts of a call or a list, so that a new one stands like the others."""
    if len(parts) > 1 and isinstance(parts[0].comma, cst.Comma):
        space = parts[0].comma.whitespace_after
    else:
        space = opening if "\n" in cst.Module([]).code_for_node(opening) else cst.SimpleWhitespace(" ")
    if isinstance(space, cst.ParenthesizedWhitespace):  # the line break alone: comments are told once
        return space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
    return space


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _with_first(function: cst.FunctionDef, statements: str) -> cst.FunctionDef:
    block = function.body
    if isinstance(block, cst.SimpleStatementSuite):  # `def f(self): self.x = 1`
        lines = [cst.SimpleStatementLine([one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for one in block.body]
        block = cst.IndentedBlock(lines, header=_header(block))
    body = list(block.body)
    at = 1 if function.get_docstring() is not None else 0
    new = [cst.parse_statement(line) for line in statements.splitlines()]
    return function.with_changes(body=block.with_changes(body=[*body[:at], *new, *body[at:]]))


def _set_apart(
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


def _header(suite: cst.SimpleStatementSuite) -> cst.TrailingWhitespace:
    """The comment of a one-line suite, for the line of its block's colon."""
    comment = suite.trailing_whitespace.comment
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), comment) if comment else cst.TrailingWhitespace()


def _comments(node: cst.CSTNode) -> list[str]:
    """All comments of a statement, those above it included."""
    return [comment.value for comment in m.findall(node, m.Comment()) if isinstance(comment, cst.Comment)]


def _blank_lines(line: _Line, column: int) -> list[cst.EmptyLine]:
    blanks = len(line.leading_lines) if column == 0 else min(1, len(line.leading_lines))
    return [cst.EmptyLine(indent=False)] * blanks


def _comment_line(comment: str) -> cst.EmptyLine:
    return cst.EmptyLine(comment=cst.Comment(comment))
