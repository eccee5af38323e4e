"""The result of comparing two records, row by row."""

from dataclasses import dataclass
from enum import Enum

from migrate.verify.record import Record

NUMBERS = ("batches", "losses", "evaluations", "final variables", "exports")
"""The rows about what the programs compute; the others are about how they resume."""


class Verdict(str, Enum):
    """The result of one row."""

    SAME = "same"
    DIFFERENT = "different"
    INFORMATION = "information"
    """Shown, but no part of the result: a time, or something that has no right value."""
    NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class Row:
    """One thing that was compared.

    Attributes:
      note: why it was not compared, or how large the difference is.
    """

    name: str
    old: str
    new: str
    verdict: Verdict
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """The comparison of two records of one fault.

    Attributes:
      rows: everything that was looked at, the most important first.
      sides: the names of the two records.
    """

    fault: str
    rows: list[Row]
    old: Record
    new: Record
    sides: tuple[str, str] = ("OLD", "NEW")

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    @property
    def differences(self) -> list[Row]:
        return [row for row in self.rows if row.verdict is Verdict.DIFFERENT]

    @property
    def matches(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    @property
    def differing_numbers(self) -> set[str]:
        """The names of the rows in ``NUMBERS`` that differ."""
        return {row.name for row in self.differences if row.name in NUMBERS}

    @property
    def resumes(self) -> bool:
        """Whether no row about resumption differs."""
        return len(self.differing_numbers) == len(self.differences)

    @property
    def first(self) -> str:
        """The first difference in a sentence; "" if there is none."""
        for row in self.differences:
            note = f" ({row.note})" if row.note else ""
            return f"{row.name}: {self.sides[0]} {row.old}, {self.sides[1]} {row.new}{note}"
        return ""

    @property
    def row_names(self) -> list[str]:
        """The names of the rows that were compared."""
        return [row.name for row in self.rows if row.verdict in (Verdict.SAME, Verdict.DIFFERENT)]

    @property
    def text(self) -> str:
        """All rows as plain lines, for the message of an assertion."""
        marks = {Verdict.SAME: "=", Verdict.DIFFERENT: "!", Verdict.INFORMATION: " ", Verdict.NOT_COMPARED: "?"}
        return "\n".join(
            f"{marks[row.verdict]} {row.name}: {row.old} | {row.new}{' · ' + row.note if row.note else ''}"
            for row in self.rows
        )
