"""The page of a code, and its rule's first example as the codemod rewrites it."""

import difflib
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from migrate.api import rewrite
from migrate.report.pages import pages
from migrate.report.terminal import Line
from migrate.rules import RULES
from migrate.rules.example import Example
from migrate.rules.rule import Rule

_WHOLE = 1_000
"""Lines around a change in a diff: more than an example has."""
_STYLES = {"-": "red", "+": "green"}


def explained(code: str) -> Iterator[Line]:
    """What a code's site is, what is written instead, an example before and after, and what differs.

    Args:
      code: one of ``pages()``.
    """
    shown = difference(RULES[code]) if code in RULES else ""
    what, fidelity, differs = pages()[code].text.partition("\nFidelity:")
    for line in what.splitlines():
        yield [(line, "")]
    for line in ["", *shown.splitlines()] if shown else ():
        yield [(line, _STYLES.get(line[:1], ""))]
    for line in (fidelity + differs).splitlines():
        yield [(line, "")]


def shown_example(rule: Rule) -> Example | None:
    """The first example that is rewritten; None where a rule leaves all that it finds."""
    return next((example for example in rule.examples if example.after is not None), None)


@cache
def difference(rule: Rule) -> str:
    """The shown example as a diff of the whole program; "" where there is none."""
    example = shown_example(rule)
    if example is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(example.source, encoding="utf-8")
        changes = rewrite([path], example.settings).changes
    after = next(change.after for change in changes if os.path.basename(change.path) == path.name)
    lines = difflib.unified_diff(
        example.source.splitlines(), after.splitlines(), path.name, path.name, n=_WHOLE, lineterm=""
    )
    return "\n".join([*lines][3:]) + "\n"
