"""Adds, changes and removes arguments of calls, with the layout of the other arguments."""

from collections.abc import Sequence

import libcst as cst

from migrate.edits.lines import LINE_LENGTH, add_hanging_indent, comments_of, format_source
from migrate.edits.plan import SetArgument
from migrate.records import replace


def _argument_index(call: cst.Call, edit: SetArgument) -> int | None:
    """Returns the index of the argument that an edit changes; None if the call does not have it."""
    at, position = None, edit.position
    for index, arg in enumerate(call.args):
        is_named = arg.keyword is not None and arg.keyword.value == edit.name
        if is_named or (index == position and arg.keyword is None and not arg.star):
            at = index
    return at


def lost_comments(call: cst.Call, edit: SetArgument) -> list[str]:
    """Returns the comments of a removed argument: above it, inside it, and behind it on its line."""
    at = _argument_index(call, edit)
    if at is None or edit.value is not None:
        return []
    around = [*comments_of(_space_before(call, at)), *comments_of(call.args[at])]
    for comment in comments_of(_space_after_removal(call, at)):
        around.remove(comment)
    return around


def _space_before(call: cst.Call, at: int) -> cst.BaseParenthesizableWhitespace:
    """Returns the white space before the argument at an index, or after the last one."""
    if at == 0:
        return call.whitespace_before_args
    before = call.args[at - 1]
    return before.comma.whitespace_after if isinstance(before.comma, cst.Comma) else before.whitespace_after_arg


def _space_after_removal(call: cst.Call, at: int) -> cst.BaseParenthesizableWhitespace:
    """Returns the white space in place of a removed argument, with the comments of its neighbours."""
    before, behind = _space_before(call, at), _space_before(call, at + 1)
    if not isinstance(before, cst.ParenthesizedWhitespace):
        if at > 0:
            return behind  # a comment there is also about the argument before it on the line
        is_over = isinstance(behind, cst.ParenthesizedWhitespace)
        return behind.with_changes(first_line=cst.TrailingWhitespace()) if is_over else before
    if isinstance(behind, cst.ParenthesizedWhitespace):
        return behind.with_changes(first_line=before.first_line)
    is_last = at == len(call.args) - 1 and before.first_line.comment is None
    return behind if is_last else before.with_changes(empty_lines=[])


def _remove_argument(call: cst.Call, at: int) -> cst.Call:
    args, gap = [*call.args], _space_after_removal(call, at)
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


def set_argument(call: cst.Call, edit: SetArgument, module: cst.Module) -> cst.Call:
    args, at = list(call.args), _argument_index(call, edit)
    if edit.value is None:
        return call if at is None else _remove_argument(call, at)
    if edit.called:
        named = {"keyword": cst.Name(edit.called), "equal": _EQUAL}
        return call.with_changes(args=[arg.with_changes(**named) if i == at else arg for i, arg in enumerate(args)])
    value = cst.parse_expression(edit.value, config=module.config_for_parsing)
    if at is not None:
        args[at] = args[at].with_changes(value=value)
        return call.with_changes(args=args)
    new = cst.Arg(value, cst.Name(edit.name), equal=_EQUAL)
    if args:
        last, between = args[-1], _spacing(args, call.whitespace_before_args)
        behind = last.whitespace_after_arg  # contains the line break before the bracket, if there is no trailing comma
        if isinstance(behind, cst.ParenthesizedWhitespace) and isinstance(between, cst.ParenthesizedWhitespace):
            between = between.with_changes(first_line=behind.first_line)
            behind = behind.with_changes(first_line=cst.TrailingWhitespace())
        args[-1] = last.with_changes(
            comma=cst.Comma(whitespace_after=between), whitespace_after_arg=cst.SimpleWhitespace("")
        )
        new = new.with_changes(comma=last.comma, whitespace_after_arg=behind)
    return call.with_changes(args=[*args, new])


def has_comments(value: str) -> bool:
    """Whether an argument has several lines, with comments between them."""
    return "\n" in value and "#" in value


def fit_argument(edit: SetArgument, column: int, hang: int, module: cst.Module) -> SetArgument:
    """Returns an argument on a line of its own, as black lays it out.

    Args:
      column: the column where its line begins.
      hang: by how many columns that is beyond its block.
    """
    value = edit.value or ""
    fits = "\n" in value or column + len(edit.name) + len(value) + 2 <= LINE_LENGTH
    if edit.value is None or (fits and not has_comments(value)):
        return edit
    text = format_source(f"{edit.name} = {value}", column - 1, module.default_indent, is_users=True).rstrip("\n")
    return replace(edit, value=add_hanging_indent(text.partition(" = ")[2], hang))


def lay_out_call(
    call: cst.Call, column: int, first: int, hang: int, module: cst.Module, with_comments: bool = False
) -> cst.Call:
    """Returns a call as black lays it out, if its line is now too long or its lines now fit on one.

    Args:
      column: the column where it begins.
      first: the column where its line begins.
      hang: by how many columns that is beyond its block.
      with_comments: whether a new argument has comments, and the call was on one line.
    """
    text = module.code_for_node(call)
    is_long = "\n" in text
    has_last_comma = bool(call.args) and isinstance(call.args[-1].comma, cst.Comma)
    is_right = "#" in text or has_last_comma or (not is_long and column + len(text) <= LINE_LENGTH)
    if is_right and not with_comments:
        return call
    before = f"{'x' * (column - first - 3)} = "  # the text before the call narrows its first line only
    before, start = (before, first) if column - first > 3 else ("", column)
    laid_out = (
        format_source(before + text, start, module.default_indent, is_users=True).rstrip("\n").removeprefix(before)
    )
    if is_long and "\n" in laid_out and not with_comments:
        return call
    made = cst.parse_expression(add_hanging_indent(laid_out, hang), config=module.config_for_parsing)
    return made if isinstance(made, cst.Call) else call


def _spacing(parts: Sequence[cst.Arg], opening: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """Returns the white space to put before a new last argument, as between the other arguments, without comments."""
    if len(parts) > 1 and isinstance(parts[-2].comma, cst.Comma):
        space = parts[-2].comma.whitespace_after
    else:
        space = opening if "\n" in cst.Module([]).code_for_node(opening) else cst.SimpleWhitespace(" ")
    if isinstance(space, cst.ParenthesizedWhitespace):
        return space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
    return space


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
