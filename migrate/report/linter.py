"""Renders findings as a linter does: with the lines of source and the help, or one finding to a line."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from migrate.files.trouble import FIRST_CHARACTER
from migrate.findings.finding import Fidelity, Finding, Span, sentences
from migrate.findings.printable import printable
from migrate.report import sort_findings
from migrate.report.annotation import result
from migrate.report.terminal import Line

_WHY = {Fidelity.EXACT: "exact", Fidelity.NOTED: "with the difference named above"}
_STYLES = {Fidelity.EXACT: "green", Fidelity.NOTED: "yellow", Fidelity.MANUAL: "magenta"}


def lines(findings: Iterable[Finding], lines_of: Callable[[str, int | None], Sequence[str]]) -> Iterator[Line]:
    """Yields the lines of the report, sorted by path and place."""
    for (path, cell), group in groupby(sort_findings(findings), key=lambda finding: (finding.path, finding.cell)):
        code = lines_of(path, cell)
        for finding in group:
            yield from _finding_lines(finding, code)
            yield []


def style(finding: Finding) -> str:
    return "red" if finding.error else _STYLES[finding.fidelity]


def _finding_lines(finding: Finding, code: Sequence[str]) -> Iterator[Line]:
    colour = style(finding)
    yield [(finding.place, "bold"), (": ", ""), (finding.code, f"bold {colour}"), (f" {finding.message}", "")]
    if finding.span != FIRST_CHARACTER:  # that is the whole file
        yield from code_frame(code, finding.span)
    if finding.rewritten:
        yield _note("rewritten", _WHY[finding.fidelity], colour)
    yield from (_note("help", text, "cyan") for text in finding.help.split("\n") if text)


def _note(title: str, text: str, style: str) -> Line:
    return [("  = ", "blue"), (f"{title}: ", style), (text, "")]


def concise_lines(findings: Iterable[Finding]) -> Iterator[Line]:
    """Yields a line for each finding, sorted by path and place."""
    for finding in sort_findings(findings):
        help = finding.help.removesuffix(".") if finding.error else ""
        yield [
            (finding.place, "bold"),
            (": ", ""),
            (finding.code, f"bold {style(finding)}"),
            (f" {sentences(finding.message, help)} ", ""),
            (f"[{result(finding)}]", style(finding)),
        ]


_CONTEXT = 1
_SPAN_LINES = 4
_WIDTH = 110


def code_frame(lines: Sequence[str], span: Span) -> Iterator[Line]:
    """Yields the first lines of ``span``, the line before and the line after; nothing if the file has no such line."""
    if not 1 <= span.line <= len(lines):
        return
    first = max(1, span.line - _CONTEXT)
    last = min(len(lines), span.end_line + _CONTEXT, span.line + _SPAN_LINES)
    margin = len(str(last))
    gutter = (f"{'':{margin}} |", "blue")
    line = lines[span.line - 1]
    start = max(0, len(printable(line[: span.column])) - _WIDTH // 2) if len(line) > _WIDTH else 0
    yield [gutter]
    for number in range(first, last + 1):
        shown = printable(lines[number - 1])[start : start + _WIDTH]
        yield [(f"{number:{margin}} |", "blue"), (f" {shown}".rstrip(), "")]
        if number == span.line:
            yield [gutter, (f" {_carets(lines[number - 1], span, start)}", "bold yellow")]
    yield [gutter]


def _carets(line: str, span: Span, start: int) -> str:
    from rich.cells import cell_len  # imported here, because a run without findings does not need it

    end = span.end_column if span.end_line == span.line else len(line)
    before = printable(line[: span.column])[start:]
    meant = printable(line[span.column : end]).rstrip()[: _WIDTH - len(before)]
    indent = "".join("\t" if character == "\t" else " " * cell_len(character) for character in before)
    return indent + "^" * max(1, cell_len(meant))
