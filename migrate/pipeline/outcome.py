"""What is known of a file after its analysis, and what a run found and would write: all that a report needs."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from migrate.edits.file_change import FileChange
from migrate.files.text import SourceText
from migrate.findings.finding import Finding
from migrate.judging.judgement import JudgedProgram

if TYPE_CHECKING:
    from migrate.edits.plan import Plan


@dataclass
class Outcome:
    """The findings and changes of a whole run, in the order of the paths.

    Attributes:
      files_read: how many files were read, those without a site included.
      findings: every site, rewritten or left, and every error.
      changes: the files to rewrite or to create.
      programs: the programs behind the findings.
      written: the paths of the changes that were made.
      notes: what was done about an earlier write that was interrupted, a sentence each.
      unlisted: the files that import the installed runtime package where no list of requirements was found for it.
      paths: the files and directories that were given: nothing outside of them is written.
    """

    files_read: int = 0
    findings: list[Finding] = field(default_factory=list)
    changes: list[FileChange] = field(default_factory=list)
    programs: list[JudgedProgram] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    paths: tuple[str, ...] = field(default=(), compare=False)

    def add(self, other: "Outcome") -> None:
        """Takes in what was found in other files."""
        self.findings += other.findings
        self.changes += other.changes
        self.programs += other.programs
        self.unlisted += other.unlisted

    def sort(self) -> None:
        """Brings everything into the order of the paths."""
        self.changes.sort(key=lambda change: change.path)
        self.programs.sort(key=lambda one: one.files)
        self.findings.sort(key=lambda finding: (finding.path, finding.cell or 0, finding.span, finding.code))

    @property
    def exit_code(self) -> int:
        """0 nothing found, 1 something to change or left, 2 an error in any file."""
        if any(finding.error for finding in self.findings):
            return 2
        return 1 if self.findings else 0


class Group(NamedTuple):
    """Files that programs have in common.

    Attributes:
      files: their absolute paths, with the names that the user gave them, in order.
      users: files with estimators that the user did not give, by the group's files that they import.
    """

    files: tuple[tuple[str, str], ...]
    users: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass
class ExaminedFile:
    """One file after analysis.

    Attributes:
      source: the file as it is, if anything was found.
      plan: what is to be done to its text, of a notebook to that of its own program; None where nothing is rewritten.
      after: the whole new text of a notebook that is judged alone; None for other files.
      reaches: the other files, absolute, that its programs need changed; then it is judged together with them.
      waits: whether it is judged when it is known which files' programs reach it.
      together: the files that are rewritten with it or not at all, itself included; empty for one by itself.
      programs: the programs whose estimators stand in it.
      runtime_names: by folder, the names that a notebook's cells import from the runtime folder there.
    """

    path: str
    findings: list[Finding] = field(default_factory=list)
    source: SourceText | None = None
    plan: "Plan | None" = None
    after: str | None = None
    reaches: tuple[str, ...] = ()
    waits: bool = False
    together: tuple[str, ...] = ()
    programs: list[JudgedProgram] = field(default_factory=list)
    runtime_names: dict[str, set[str]] = field(default_factory=dict)

    @property
    def is_planned(self) -> bool:
        """Whether the run has to make its new text."""
        return self.plan is not None or bool(self.runtime_names)
