"""Two versions of a file side by side, in colour: the rows of a table in HTML."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from migrate.files.matching import opcodes
from migrate.findings.printable import printable

_CONTEXT = 3
_CLASSES: Mapping[_TokenType, str] = {
    Keyword: "k",
    Operator.Word: "k",
    String: "s",
    Comment: "c",
    Number: "m",
    Name.Function: "f",
    Name.Class: "f",
    Name.Decorator: "d",
    Name.Builtin: "b",
}
"""The tokens that have a colour, by the class that the page's style knows."""


@dataclass(frozen=True)
class Row:
    """One row: a line of either side, or of both where they are equal; the numbers count from 1.

    Attributes:
      skipped: how many lines are left out above.
      marks: the codes of the findings in the old line, with spaces between.
    """

    old: int | None
    new: int | None
    old_code: str
    new_code: str
    skipped: int
    marks: str

    @property
    def is_changed(self) -> bool:
        return self.old is None or self.new is None or self.old_code != self.new_code


def rows(before: str | None, after: str | None, marks: Mapping[int, str]) -> list[Row]:
    """The changed lines, those with a finding, and three lines around each.

    Args:
      before: the old text; None for a new file.
      after: the new text; None where nothing is rewritten.
      marks: the codes of findings, by the lines where they begin.
    """
    old, new = (coloured_lines(text) if text is not None else [] for text in (before, after))
    pairs = list(_pairs(before, after))
    wanted = {
        index
        for index, (left, right, is_equal) in enumerate(pairs)
        if not is_equal or (left is not None and left + 1 in marks)
    }
    made: list[Row] = []
    last = -1
    for index in sorted(_with_context(wanted, len(pairs))):
        left, right, _ = pairs[index]
        made.append(
            Row(
                None if left is None else left + 1,
                None if right is None else right + 1,
                "" if left is None else old[left],
                "" if right is None else new[right],
                index - last - 1,
                "" if left is None else marks.get(left + 1, ""),
            )
        )
        last = index
    return made


def coloured_lines(text: str) -> list[str]:
    """The lines of Python source in HTML, each with its own markup."""
    lines = [""]
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = _class(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append("")
            if part:
                code = escape(printable(part), quote=False)
                lines[-1] += f"<i class={name}>{code}</i>" if name else code
    return lines[:-1] if lines[-1] == "" else lines


def _class(kind: _TokenType) -> str:
    known: _TokenType | None = kind
    while known is not None:
        if known in _CLASSES:
            return _CLASSES[known]
        known = known.parent
    return ""


def _pairs(before: str | None, after: str | None) -> Iterator[tuple[int | None, int | None, bool]]:
    """The lines side by side, counted from 0, and whether they are equal."""
    old, new = _lines(before or ""), _lines(after or "")
    if after is None:
        yield from ((line, None, True) for line in range(len(old)))
        return
    for tag, start, end, new_start, new_end in opcodes(old, new):
        for offset in range(max(end - start, new_end - new_start)):
            left = start + offset if start + offset < end else None
            right = new_start + offset if new_start + offset < new_end else None
            yield left, right, tag == "equal"


def _lines(text: str) -> Sequence[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _with_context(wanted: Collection[int], total: int) -> set[int]:
    return {near for index in wanted for near in range(max(0, index - _CONTEXT), min(total, index + _CONTEXT + 1))}
