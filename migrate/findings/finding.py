"""The record of a finding, from which every report is made."""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from migrate.findings.printable import printable
from migrate.records import dataclass, replace


class Fidelity(str, Enum):
    """How closely a rewrite keeps the behaviour of the old program."""

    EXACT = "exact"
    """A test shows equal resumption."""
    NOTED = "noted"
    """Rewritten; the behaviour differs as the message says."""
    MANUAL = "manual"
    """Skipped; the message says why and the help says what to do."""


class Span(NamedTuple):
    """A range of source text: lines count from 1, columns from 0 in characters, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Obstacle(str, Enum):
    """Why a rule does not rewrite a site that it could rewrite."""

    BLOCKED = "blocked"
    """Another site of the same program cannot be rewritten."""
    UNSELECTED = "unselected"
    """The program also needs a rule that the user did not select."""
    IGNORED = "ignored"
    """A comment in the program says to ignore a site."""


class Cause(NamedTuple):
    """The place of the reason why a site is skipped that its own rule could rewrite.

    Attributes:
      obstacle: the kind of the reason.
      span: the place; in a notebook, in the text of its cell.
      cell: the number of a notebook's cell among all its cells, from 1; None in any other file.
      symbol: the qualified name at that place; "" for none.
    """

    obstacle: Obstacle
    code: str
    path: str
    span: Span
    cell: int | None = None
    symbol: str = ""

    def message_and_help(self) -> tuple[str, str]:
        """Returns the message and the help for a site that is skipped for this cause."""
        place = ":".join([self.path, *([] if self.cell is None else [f"cell {self.cell}"]), str(self.span.line)])
        if self.obstacle is Obstacle.UNSELECTED:
            message = f"not rewritten: {self.code} ({place}) is not selected, and its program needs it"
            return message, "A program is rewritten completely or not at all: select all of its rules."
        if self.obstacle is Obstacle.IGNORED:
            message = f"not rewritten: a comment ignores another part of the same program ({self.code}, {place})"
            return message, "A program is rewritten completely or not at all: remove the comment to migrate it."
        return f"skipped with its program: {self.symbol or self.code} ({place})", ""


@dataclass(frozen=True)
class Finding:
    """One recovery site and the decision about it.

    Control characters in its texts are escaped: they may come from names and code of the file.

    Attributes:
      code: the rule's code, such as ``FT104``; ``FT001`` to ``FT009`` are errors with a file or in a rule itself.
      fidelity: how closely the rewrite keeps the old behaviour.
      span: the place of the site; in a notebook, in the text of its cell.
      symbol: the qualified name that was recognised, such as ``tensorflow.compat.v1.estimator.RunConfig``.
      message: what was found and, for ``noted``, how the behaviour differs; one sentence, no final full stop.
      help: what the user can do; "" for nothing.
      rewritten: whether the diff contains a rewrite of this site.
      error: whether this is an error in the file, which makes the exit code 2.
      cell: the number of a notebook's cell among all its cells, from 1; None in any other file.
      cause: why the site is skipped, if the reason is not the site itself; else None.
      successor: the replacement of a removed name in TensorFlow 2 or another package; "" for a finding of another kind.
    """

    code: str
    fidelity: Fidelity
    path: str
    span: Span
    symbol: str
    message: str
    help: str = ""
    rewritten: bool = False
    error: bool = False
    cell: int | None = None
    cause: Cause | None = None
    successor: str = ""

    def __post_init__(self) -> None:
        for name in ("symbol", "message", "help", "successor"):
            text = getattr(self, name)
            if not text.isprintable():
                object.__setattr__(self, name, printable(text, keep="\t\r\n"))

    @property
    def place(self) -> str:
        """``path:line:column``, counted from 1 as in compilers; in a notebook ``path:cell 3:line:column``."""
        return f"{printable(self.path, keep='')}:{self.in_file}"

    @property
    def in_file(self) -> str:
        """The place without the path: ``line:column``, in a notebook ``cell 3:line:column``."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{cell}{self.span.line}:{self.span.column + 1}"

    @property
    def is_own_reason(self) -> bool:
        """Whether this site is skipped for a reason of its own, not only because its program is skipped."""
        return self.fidelity is Fidelity.MANUAL and not self.error and self.cause is None

    def skipped_for(self, reason: str, help: str = "") -> "Finding":
        """Returns the finding of this site as skipped because of ``reason``."""
        return replace(self, fidelity=Fidelity.MANUAL, message=reason, help=help or self.help, rewritten=False)

    def skipped_with(self, cause: Cause) -> "Finding":
        """Returns the finding of this site as skipped for a cause elsewhere."""
        message, help = cause.message_and_help()
        help = help or (f"Its successor is {self.successor}." if self.successor else "")
        return replace(self, fidelity=Fidelity.MANUAL, message=message, help=help, rewritten=False, cause=cause)


def skip_with_cause(findings: Iterable[Finding], trouble: Finding) -> list[Finding]:
    """Returns the findings of a program that could not be rewritten as skipped, with the error as the cause."""
    cause = Cause(Obstacle.BLOCKED, trouble.code, trouble.path, trouble.span, trouble.cell)
    return [finding.skipped_with(cause) if finding.rewritten else finding for finding in findings]


def sentences(*texts: str) -> str:
    """Joins the texts that are not empty; adds a full stop to each but the last if it has no final mark."""
    *first, last = [text for text in texts if text] or [""]
    return " ".join([*(text if text.endswith((".", "?", "!")) else f"{text}." for text in first), last])
