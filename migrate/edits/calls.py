"""Arguments that come, change or go in a call, laid out as their neighbours."""

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from migrate.edits.lines import LINE_LENGTH, comments_of, format_source, with_hanging_indent
from migrate.edits.plan import SetArgument


def _index(call: cst.Call, edit: SetArgument) -> int | None:
    """Which of a call's arguments an edit is about; None for none of them."""
    at, position = None, edit.position
    for index, arg in enumerate(call.args):
        is_named = arg.keyword is not None and arg.keyword.value == edit.name
        if is_named or (index == position and arg.keyword is None and not arg.star):
            at = index
    return at


def lost_comments(call: cst.Call, edit: SetArgument) -> list[str]:
    """Returns the comments of a removed argument: above it, inside it, and behind it on its line."""
    at = _index(call, edit)
    if at is None or edit.value is not None:
        return []
    around = [*comments_of(_gap(call, at)), *comments_of(call.args[at])]
    for comment in comments_of(_gap_without(call, at)):
        around.remove(comment)
    return around


def _gap(call: cst.Call, at: int) -> cst.BaseParenthesizableWhitespace:
    """What stands before an argument, or behind the last one."""
    if at == 0:
        return call.whitespace_before_args
    before = call.args[at - 1]
    return before.comma.whitespace_after if isinstance(before.comma, cst.Comma) else before.whitespace_after_arg


def _gap_without(call: cst.Call, at: int) -> cst.BaseParenthesizableWhitespace:
    """What stands in place of an argument: the end of the line of the one before it, and what is above the next one."""
    before, behind = _gap(call, at), _gap(call, at + 1)
    if not isinstance(before, cst.ParenthesizedWhitespace):
        if at > 0:
            return behind  # a comment there is about what is before it on the line, too
        is_over = isinstance(behind, cst.ParenthesizedWhitespace)
        return behind.with_changes(first_line=cst.TrailingWhitespace()) if is_over else before
    if isinstance(behind, cst.ParenthesizedWhitespace):
        return behind.with_changes(first_line=before.first_line)
    is_last = at == len(call.args) - 1 and before.first_line.comment is None
    return behind if is_last else before.with_changes(empty_lines=[])


def _without(call: cst.Call, at: int) -> cst.Call:
    args, gap = [*call.args], _gap_without(call, at)
    gone = args.pop(at)
    if at == 0:
        return call.with_changes(args=args, whitespace_before_args=gap)
    before = args[at - 1]
    comma = before.comma if at < len(args) else gone.comma
    if isinstance(comma, cst.Comma):
        args[at - 1] = before.with_changes(comma=comma.with_changes(whitespace_after=gap))
    else:
        args[at - 1] = before.with_changes(comma=comma, whitespace_after_arg=gap)
    return call.with_changes(args=args)


def with_argument(call: cst.Call, edit: SetArgument, module: cst.Module) -> cst.Call:
    args, at = list(call.args), _index(call, edit)
    if edit.value is None:
        return call if at is None else _without(call, at)
    if edit.called:
        named = {"keyword": cst.Name(edit.called), "equal": _EQUAL}
        return call.with_changes(args=[arg.with_changes(**named) if i == at else arg for i, arg in enumerate(args)])
    value = cst.parse_expression(edit.value, config=module.config_for_parsing)
    if at is not None:
        args[at] = args[at].with_changes(value=value)
        return call.with_changes(args=args)
    new = cst.Arg(value, cst.Name(edit.name), equal=_EQUAL)
    if args:
        last, between = args[-1], _between(args, call.whitespace_before_args)
        behind = last.whitespace_after_arg  # the line break before the bracket, if no comma is before it
        if isinstance(behind, cst.ParenthesizedWhitespace) and isinstance(between, cst.ParenthesizedWhitespace):
            between = between.with_changes(first_line=behind.first_line)
            behind = behind.with_changes(first_line=cst.TrailingWhitespace())
        args[-1] = last.with_changes(
            comma=cst.Comma(whitespace_after=between), whitespace_after_arg=cst.SimpleWhitespace("")
        )
        new = new.with_changes(comma=last.comma, whitespace_after_arg=behind)
    return call.with_changes(args=[*args, new])


def has_comments(value: str) -> bool:
    """Whether an argument stands on several lines, with comments between them."""
    return "\n" in value and "#" in value


def _fits(edit: SetArgument, column: int) -> bool:
    value = edit.value or ""
    return "\n" in value or column + len(edit.name) + len(value) + 2 <= LINE_LENGTH


def within_width(edit: SetArgument, column: int, hang: int, module: cst.Module) -> SetArgument:
    """An argument on a line of its own, laid out as black does.

    Args:
      column: where its line begins.
      hang: how far that is beyond its block.
    """
    if edit.value is None or (not has_comments(edit.value) and _fits(edit, column)):
        return edit
    text = format_source(f"{edit.name} = {edit.value}", column - 1, module.default_indent, is_users=True).rstrip("\n")
    return replace(edit, value=with_hanging_indent(text.partition(" = ")[2], hang))


def lay_out_call(
    call: cst.Call, column: int, first: int, hang: int, module: cst.Module, with_comments: bool = False
) -> cst.Call:
    """A call that has grown out of its one line, or shrunk into one, as black lays it out.

    Args:
      column: where it begins.
      first: where its line begins.
      hang: how far that is beyond its block.
      with_comments: whether an argument has brought comments into a call that stood on one line.
    """
    text = module.code_for_node(call)
    is_long = "\n" in text
    has_last_comma = bool(call.args) and isinstance(call.args[-1].comma, cst.Comma)
    is_right = "#" in text or has_last_comma or (not is_long and column + len(text) <= LINE_LENGTH)
    if is_right and not with_comments:
        return call
    before = f"{'x' * (column - first - 3)} = "  # what stands there leaves less room in the first line alone
    before, start = (before, first) if column - first > 3 else ("", column)
    laid_out = (
        format_source(before + text, start, module.default_indent, is_users=True).rstrip("\n").removeprefix(before)
    )
    if is_long and "\n" in laid_out and not with_comments:
        return call
    made = cst.parse_expression(with_hanging_indent(laid_out, hang), config=module.config_for_parsing)
    return made if isinstance(made, cst.Call) else call


def _between(parts: Sequence[cst.Arg], opening: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """What stands between two arguments of a call, so that a new one stands like the others."""
    if len(parts) > 1 and isinstance(parts[-2].comma, cst.Comma):
        space = parts[-2].comma.whitespace_after
    else:
        space = opening if "\n" in cst.Module([]).code_for_node(opening) else cst.SimpleWhitespace(" ")
    return _line_break(space)


def _line_break(space: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """White space without its comments, which stay with the parts that have them."""
    if isinstance(space, cst.ParenthesizedWhitespace):
        return space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
    return space


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
