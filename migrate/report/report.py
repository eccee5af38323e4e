"""The output of a run: the report in the requested format, and the summary."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO, TextIO

from migrate.findings.finding import Finding
from migrate.pipeline.outcome import Outcome
from migrate.records import dataclass, field
from migrate.report import linter, summary
from migrate.report.pages import pages
from migrate.report.source import line_reader, span_reader
from migrate.report.terminal import Line, as_text, show

if TYPE_CHECKING:
    from migrate.planning.rows import ProgramRow

_LINE_FORMATS = ("text", "concise")


@dataclass(frozen=True)
class Report:
    """The output of a run.

    Attributes:
      format: the format of the report; None for the summary only.
      written: the paths that were written; None for a run that does not write.
      check: whether the run only finds, so that the summary does not say what ``--write`` would do.
      programs: the rows of the programs in an HTML report.
      select: the selected rules; empty for all.
      needs: entry point -> the packages and settings that the program needs in addition to TensorFlow.
    """

    outcome: Outcome
    format: str | None
    written: Collection[str] | None = None
    check: bool = False
    programs: "Sequence[ProgramRow]" = ()
    select: Sequence[str] = ()
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def save(self, file: BinaryIO) -> None:
        """Writes the report to a file, without colour."""
        if self.format == "diff":
            from migrate.report import diff

            file.write(diff.render(self.outcome.changes))
        elif self.format in _LINE_FORMATS:
            file.write(as_text(self._lines()).encode("utf-8", "backslashreplace"))
        elif self.format is not None:
            # A path that is no valid UTF-8 is written with its own bytes.
            file.write(self.document().encode("utf-8", "surrogateescape"))

    def show(self, stream: TextIO) -> None:
        """Prints the report, in colour on a terminal."""
        if self.format == "diff" and stream.isatty():
            from migrate.report import diff

            show(diff.style_diff(diff.render_for_terminal(self.outcome.changes)), stream)
        elif self.format in _LINE_FORMATS:
            show(self._lines(), stream)
        else:
            stream.flush()
            self.save(stream.buffer)

    def _lines(self) -> Iterator[Line]:
        found = self.outcome.findings
        return self._findings(found) if self.format == "text" else linter.concise_lines(found)

    def summarise(self, stream: TextIO, with_errors: bool, quiet: bool = False) -> None:
        """Prints the summary, with ``with_errors`` after all errors, which a text report has printed already."""
        errors = self._findings(finding for finding in self.outcome.findings if finding.error)
        if quiet:
            show(errors if with_errors else (), stream)
            return
        found = summary.found_counts(self.outcome, self.written, self.select)
        if self.check:
            show([*(errors if with_errors else ()), found], stream)
            return
        lines = [*(errors if with_errors else ()), *summary.lines(self.outcome, self._names), *self._diff_base_note()]
        lines += summary.runtime_notes(self.outcome)
        lines += summary.need_lines(self.needs)
        lines += summary.fidelities(self.outcome) if self.format == "text" else ()
        changes, written = self.outcome.changes, self.written
        change = summary.unwritten_line(self.outcome) if written is None else summary.written_line(changes, written)
        show([*lines, [*found, (" ", ""), *change]], stream)

    def document(self) -> str:
        """Returns the report in a format for machines."""
        if self.format == "sarif":
            from migrate.report import sarif

            changes = self.outcome.changes
            return sarif.render(self.outcome, pages(), line_reader(changes), span_reader(changes))
        if self.format == "github":
            from migrate.report import github

            return github.render(self.outcome.findings, span_reader(self.outcome.changes))
        if self.format == "html":
            from migrate.report import html

            reader = line_reader(self.outcome.changes)
            return html.render(self.outcome, pages(), reader, self.programs)
        from migrate.report import json_report

        return json_report.render(self.outcome, self.written or ())

    @property
    def _names(self) -> dict[str, str]:
        if not self.outcome.findings:
            return {}
        from migrate.rules import CODES

        return {code: name for name, code in CODES.items()}

    def _findings(self, findings: Iterable[Finding]) -> Iterator[Line]:
        return linter.lines(findings, line_reader(self.outcome.changes))

    def _diff_base_note(self) -> Iterator[Line]:
        if self.format != "diff" or self.written is not None:
            return
        from migrate.report.diff import base_directory

        base = base_directory(self.outcome.changes)
        if base is not None and base != os.path.realpath(os.curdir):
            yield [(f"The paths in the diff are relative to {base}: apply it there.", "")]
