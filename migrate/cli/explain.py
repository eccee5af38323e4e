"""The command ``explain``: prints the page of a code with a diff of its rule's first example."""

import difflib
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from migrate.api import rewrite
from migrate.report.pages import pages
from migrate.report.terminal import Line
from migrate.rules import RULES
from migrate.rules.example import Example
from migrate.rules.rule import Rule

RULE_OF_WHOLE_PROGRAM = "FT151"
"""The rule whose page shows the whole program; the pages of other rules show only parts of it."""
_WHOLE = 1_000
"""More lines than an example has, as the context of a diff."""
_STYLES = {"-": "red", "+": "green"}


def explanation(code: str) -> Iterator[Line]:
    """Yields a code's title, an example before and after, and the rest of its page."""
    shown = difference(RULES[code]) if code in RULES else ""
    title, *page = pages()[code].text.splitlines()
    yield [(title, "")]
    for line in ["", *shown.splitlines()] if shown else ():
        yield [(line, _STYLES.get(line[:1], ""))]
    for line in page:
        yield [(line, "")]


def shown_example(rule: Rule) -> Example | None:
    """Returns the first example that is rewritten; None if the rule rewrites nothing."""
    return next((example for example in rule.examples if example.after is not None), None)


@cache
def difference(rule: Rule) -> str:
    """Returns the shown example as a diff; "" if there is none.

    It has only the example's own part of a larger program, and all of it on the page of ``RULE_OF_WHOLE_PROGRAM``.
    """
    example = shown_example(rule)
    if example is None:
        return ""
    is_whole = example.slot != "module" and rule.code == RULE_OF_WHOLE_PROGRAM
    return "\n".join(program_diff(example) if is_whole else example_diff(example, near=2)) + "\n"


def example_diff(example: Example, near: int = 0) -> list[str]:
    """Returns an example as a diff: all changes of a file, or the part of a larger program.

    Args:
      near: how many lines to show before and after the rewritten part.
    """
    lines = program_diff(example)
    if example.slot != "module":
        return part(example, lines, near)
    return _excerpt(lines, {near for at, line in enumerate(lines) if line[0] != " " for near in range(at - 2, at + 3)})


def program_diff(example: Example) -> list[str]:
    """Returns the diff of an example's whole program, without headers; empty if only the rule's tests rewrite it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(example.source, encoding="utf-8")
        changes = rewrite([path], example.settings).changes
    after = next((change.after for change in changes if os.path.basename(change.path) == path.name), example.source)
    before = example.source.splitlines()
    return [*difflib.unified_diff(before, after.splitlines(), n=_WHOLE, lineterm="")][3:]


def part(example: Example, lines: Sequence[str], near: int) -> list[str]:
    """Returns the lines of a diff for an example's own part: its old lines, and its new lines with ``near`` around."""
    assert example.after is not None
    old = [at for at, line in enumerate(lines) if line[0] != "+"]
    new = [at for at, line in enumerate(lines) if line[0] != "-"]
    shown = {*_places_of_text(lines, old, example.before)}
    written = _places_of_text(lines, new, example.after)
    places = {at: place for place, at in enumerate(new)}
    for at in (at for one in written for at in new[max(places[one] - near, 0) : places[one] + near + 1]):
        if lines[at][1:].strip() and (at in written or lines[at][0] == "+"):
            shown.add(at)
    return [lines[at] for at in sorted(shown)]


def _places_of_text(lines: Sequence[str], places: Sequence[int], text: str) -> list[int]:
    """Returns the numbers of the lines, among ``places``, where a text first occurs; whitespace is ignored."""
    wanted = "".join(text.split())
    letters = [(letter, at) for at in places for letter in "".join(lines[at][1:].split())]
    begin = "".join(letter for letter, _ in letters).find(wanted)
    return sorted({at for _, at in letters[begin : begin + len(wanted)]}) if begin >= 0 else []


def _excerpt(lines: Sequence[str], numbers: set[int]) -> list[str]:
    """Returns the lines with these numbers, with an ellipsis where lines between them are left out."""
    shown = [at for at in range(len(lines)) if at in numbers]
    gaps = {at for before, at in pairwise(shown) if at > before + 1}
    return [line for at in shown for line in (["…", lines[at]] if at in gaps else [lines[at]])]
