"""The one record behind every output: what was found, where, and what became of it."""

from dataclasses import dataclass, replace
from enum import Enum


class Fidelity(str, Enum):
    """How closely a rewrite keeps the behaviour of the old program."""

    EXACT = "exact"
    """A test shows equal resumption."""
    NOTED = "noted"
    """Rewritten; the behaviour differs as the message says."""
    MANUAL = "manual"
    """Left as it is; the message says why and the help says what to do."""


@dataclass(frozen=True, order=True)
class Span:
    """A stretch of source text: lines count from 1, columns from 0 in characters, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Finding:
    """One recovery site and what was decided about it.

    Attributes:
      code: the rule's code, such as ``FT104``. ``FT001`` to ``FT009`` are trouble with a file or a rule itself.
      fidelity: how closely the rewrite keeps the old behaviour.
      path: the file, as the user named it.
      span: where the site stands; in a notebook, in the text of its cell.
      symbol: the qualified name that was recognised, such as ``tensorflow.compat.v1.estimator.RunConfig``.
      message: what was found and, for ``noted``, how the behaviour differs; one sentence, no final full stop.
      help: what the user can do; empty where nothing is to be done.
      rewritten: whether the diff holds a rewrite of this site.
      error: whether this is an error in the file, which makes the exit code 2.
      cell: the place of a notebook's cell among all its cells, from 1; None in any other file.
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

    @property
    def place(self) -> str:
        """``path:line:column`` with both counting from 1, as editors and compilers write it; a cell stands before."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.path}:{cell}{self.span.line}:{self.span.column + 1}"

    @property
    def is_own_reason(self) -> bool:
        """Whether this site is left for a reason of its own, and not only because its program is."""
        return self.fidelity is Fidelity.MANUAL and not self.error and not self.message.startswith("left, because")

    def left(self, reason: str, help: str = "") -> "Finding":
        """The same site, left alone because of ``reason``."""
        return replace(self, fidelity=Fidelity.MANUAL, message=reason, help=help or self.help, rewritten=False)
