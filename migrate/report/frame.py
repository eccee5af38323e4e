"""The lines of source around a finding, with carets under the place that is meant."""

from collections.abc import Iterator, Sequence

from migrate.findings.finding import Span
from migrate.findings.printable import printable
from migrate.report.terminal import Line

_CONTEXT = 1
_SPAN_LINES = 4
_WIDTH = 110


def code_frame(lines: Sequence[str], span: Span) -> Iterator[Line]:
    """The first lines of ``span`` and the line before and after them; nothing where the file has no such line."""
    if not 1 <= span.line <= len(lines):
        return
    first = max(1, span.line - _CONTEXT)
    last = min(len(lines), span.end_line + _CONTEXT, span.line + _SPAN_LINES)
    margin = len(str(last))
    gutter = (f"{'':{margin}} |", "blue")
    start = _first_column(lines[span.line - 1], span)
    yield [gutter]
    for number in range(first, last + 1):
        shown = printable(lines[number - 1])[start : start + _WIDTH]
        yield [(f"{number:{margin}} |", "blue"), (f" {shown}".rstrip(), "")]
        if number == span.line:
            yield [gutter, (f" {_carets(lines[number - 1], span, start)}", "bold yellow")]
    yield [gutter]


def _first_column(line: str, span: Span) -> int:
    """Where the shown part of the lines begins: at 0, but near the place in a very long line."""
    if len(line) <= _WIDTH:
        return 0
    return max(0, len(printable(line[: span.column])) - _WIDTH // 2)


def _carets(line: str, span: Span, start: int) -> str:
    from rich.cells import cell_len  # a clean tree needs no frame

    end = span.end_column if span.end_line == span.line else len(line)
    before = printable(line[: span.column])[start:]
    meant = printable(line[span.column : end]).rstrip()[: _WIDTH - len(before)]
    indent = "".join("\t" if character == "\t" else " " * cell_len(character) for character in before)
    return indent + "^" * max(1, cell_len(meant))
