"""Findings one to a line: the place, the code, what becomes of it."""

from collections.abc import Iterable, Iterator

from migrate.findings.finding import Finding, sentences
from migrate.report import in_order
from migrate.report.annotation import fate
from migrate.report.linter import style
from migrate.report.terminal import Line


def lines(findings: Iterable[Finding]) -> Iterator[Line]:
    """A line for each finding, sorted by path and place."""
    for finding in in_order(findings):
        help = finding.help.removesuffix(".") if finding.error else ""
        yield [
            (finding.place, "bold"),
            (": ", ""),
            (finding.code, f"bold {style(finding)}"),
            (f" {sentences(finding.message, help)} ", ""),
            (f"[{fate(finding)}]", style(finding)),
        ]
