"""The result as Markdown, which GitHub shows as the summary of a step."""

from __future__ import annotations

from pathlib import Path

from migrate.verify.comparison import Comparison
from migrate.verify.row import Verdict
from migrate.verify.table import summary
from migrate.verify.verification import Verification


def text(verification: Verification) -> str:
    """A heading, a line for each comparison, the rows that differ, and the summary."""
    request = verification.request
    names = [Path(program.script).name for program in (request.old, request.new)][request.alone :]
    result = verification.headline
    lines = [f"### {result}: {' and '.join(map(_cell, names))}", "", "| interruption | result |", "|---|---|"]
    lines += [f"| {_cell(title)} | {_result(one)} |" for title, one in verification.comparisons]
    lines += [f"| {_cell(reason)} | not tried |" for reason in verification.not_tried]
    for title, comparison in verification.comparisons:
        if not comparison.matches:
            sides = " | ".join(comparison.sides)
            lines += ["", f"**{_cell(title)}**", "", f"| | {sides} | note |", "|---|---|---|---|"]
            rows = [row for row in comparison.rows if row.verdict is Verdict.DIFFERENT]
            lines += [f"| {' | '.join(map(_cell, (row.name, row.old, row.new, row.note)))} |" for row in rows]
    lines += ["", *(f"- {_cell(line)}" for line in summary(verification))]
    return "\n".join(lines) + "\n\n"


def _result(comparison: Comparison) -> str:
    return "matches" if comparison.matches else f"**differs**: {_cell(comparison.first)}"


def _cell(text: str) -> str:
    """A text that steers neither the table nor the page."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
