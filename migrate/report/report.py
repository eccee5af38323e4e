"""All that a run has to say: the report that was asked for, and the summary beside it."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from migrate.finding import Finding
from migrate.outcome import Outcome
from migrate.report import diff, json_report, summary, text
from migrate.report.source import line_reader
from migrate.report.terminal import Line, is_colourful, plain, printable, show


@dataclass(frozen=True)
class Report:
    """What a run has to say.

    Attributes:
      outcome: what was found and would be written.
      format: ``diff``, ``text`` or ``json``; None for the summary alone.
      names: the rules' names by code.
      reason_of: gives why a finding's fidelity is what it is, or an empty text where only a general sentence fits.
      stdin: what standard input held, where the run read it.
      written: the paths that were written; None where nothing was to be written.
      todo: whether the sites that are left get comments.
    """

    outcome: Outcome
    format: str | None
    names: Mapping[str, str]
    reason_of: Callable[[Finding], str]
    stdin: bytes | None = None
    written: Collection[str] | None = None
    todo: bool = False

    def save(self, file: BinaryIO) -> None:
        """Writes the report into a file, without colour."""
        if self.format == "diff":
            file.write(diff.render(self.outcome.changes))
        elif self.format == "json":
            file.write(self._json().encode("ascii"))
        elif self.format == "text":
            file.write(plain(self._findings(self.outcome.findings)).encode("utf-8", "backslashreplace"))

    def show(self, stream: TextIO) -> None:
        """Prints the report, in colour on a terminal."""
        if self.format == "diff":
            patch = diff.render(self.outcome.changes)
            if is_colourful(stream):
                show(diff.styled(patch), stream)
            else:
                stream.buffer.write(patch)
        elif self.format == "json":
            stream.write(self._json())
        elif self.format == "text":
            show(self._findings(self.outcome.findings), stream)

    def summarise(self, stream: TextIO, with_errors: bool) -> None:
        """Prints the summary.

        Args:
          stream: where to.
          with_errors: whether to print each error before it, because no text report did.
        """
        errors = self._findings(finding for finding in self.outcome.findings if finding.error)
        lines = [*(errors if with_errors else ()), *summary.lines(self.outcome, self.names, self.written)]
        show([*lines, *self._last_lines()], stream)

    def _json(self) -> str:
        return json_report.render(self.outcome, self.written or ())

    def _findings(self, findings: Iterable[Finding]) -> Iterator[Line]:
        return text.lines(findings, line_reader(self.outcome.changes, self.stdin), self.reason_of)

    def _last_lines(self) -> Iterator[Line]:
        changes = self.outcome.changes
        if self.stdin is not None:
            yield summary.filtered(changes, self.written)
        elif self.written is not None:
            yield summary.wrote(changes, self.written)
        else:
            base = diff.applied_in(changes)
            if self.format == "diff" and base != os.path.realpath(os.curdir):
                yield [(f"The paths in the diff are relative to {printable(base)}: apply it there.", "")]
            yield summary.would_write(changes, "--write --todo" if self.todo else "--write")
