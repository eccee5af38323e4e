"""One thing that was compared."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(str, Enum):
    """What became of one row."""

    SAME = "same"
    DIFFERENT = "different"
    INFORMATION = "information"
    """Shown, and no part of the result: a time, or something that has no right value."""
    NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class Row:
    """One thing that was compared.

    Attributes:
      name: what it is.
      old: how it was with OLD, as text.
      new: how it was with NEW, as text.
      verdict: whether the two agree.
      note: why it was not compared, or how large the difference is.
    """

    name: str
    old: str
    new: str
    verdict: Verdict
    note: str = ""
