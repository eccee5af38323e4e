"""What is known of a file after its analysis."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.files.text import SourceText
from migrate.findings.finding import Finding
from migrate.judging.judgement import JudgedProgram

if TYPE_CHECKING:
    from migrate.edits.plan import Plan


@dataclass(frozen=True)
class Group:
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
      helpers: by folder, the names that a notebook's cells import from the helpers there.
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
    helpers: dict[str, set[str]] = field(default_factory=dict)

    @property
    def is_planned(self) -> bool:
        """Whether the run has to make its new text."""
        return self.plan is not None or bool(self.helpers)
