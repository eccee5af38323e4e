"""The results of examining one file and of a whole run, from which the reports are made."""

from typing import TYPE_CHECKING, NamedTuple

from migrate.edits.file_change import FileChange
from migrate.files.text import SourceText
from migrate.findings.finding import Finding
from migrate.judging.judgement import JudgedProgram
from migrate.records import dataclass, field

if TYPE_CHECKING:
    from migrate.edits.plan import Plan


@dataclass
class Outcome:
    """The findings and changes of a whole run, in the order of the paths.

    Attributes:
      files_read: how many files were read, those without a site included.
      findings: every site, rewritten or skipped, and every error.
      changes: the files to rewrite or to create.
      programs: the programs behind the findings.
      written: the paths of the changes that were made.
      notes: sentences about earlier interrupted writes that were completed or undone.
      unlisted: the files that import the installed runtime package and for which no list of requirements was found.
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
        """Adds the findings and changes of other files."""
        self.findings += other.findings
        self.changes += other.changes
        self.programs += other.programs
        self.unlisted += other.unlisted

    def sort(self) -> None:
        """Sorts everything by path."""
        self.changes.sort(key=lambda change: change.path)
        self.programs.sort(key=lambda one: one.files)
        self.findings.sort(key=lambda finding: (finding.path, finding.cell or 0, finding.span, finding.code))

    @property
    def exit_code(self) -> int:
        """0 if nothing was found, 1 if there are findings, 2 if one of them is an error."""
        if any(finding.error for finding in self.findings):
            return 2
        return 1 if self.findings else 0


class Group(NamedTuple):
    """Files that are judged together because programs reach several of them.

    Attributes:
      files: absolute path and name, as the user spelled it, of each file, sorted.
      users: pairs of a file of the group and the files, not given by the user, that make an estimator with it.
    """

    files: tuple[tuple[str, str], ...]
    users: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass
class ExaminedFile:
    """One file after analysis.

    Attributes:
      source: the file's text before; None if nothing was found.
      plan: the changes of its text, or of the text of a notebook's own program; None if nothing is rewritten.
      after: the whole new text of a notebook that is judged alone; None for other files.
      reaches: the absolute paths of other files that its programs need changed, with which it is judged again.
      waits: whether to judge it later, when it is known which files' programs reach it.
      together: the files of its programs, itself included, which are rewritten all or none; empty for a single file.
      programs: the programs that make their estimators in it.
      runtime_names: runtime folder -> the names that a notebook's cells import from it.
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
        """Whether its new text has to be made."""
        return self.plan is not None or bool(self.runtime_names)
