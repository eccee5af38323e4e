"""What is to be verified."""

from dataclasses import dataclass, field

from migrate.verify.interruption import TIMEOUT_SECONDS
from migrate.verify.training_program import Program

MOST_CHANGES = 64

QUICK = ("exception", "sigkill", "sigkill-in-save")
"""The faults that are tried by default: they show most of what goes wrong, within a minute or two."""

QUICK_CHANGES = 2
"""So many moments of a save are tried by default."""


@dataclass
class Request:
    """What is to be verified.

    Attributes:
      faults: names of faults; by default those of ``QUICK``.
      at: the steps to strike at; one between two of OLD's saves by default.
      share_initial: whether both start from OLD's first checkpoint, so that losses can be compared; None for where
        their first losses differ and NEW can read it.
      continue_old: whether NEW goes on from where OLD was interrupted, instead of from an interruption of its own.
      tolerance: the largest relative difference of losses and variables that counts as none.
      timeout: in seconds for each start.
      changes: how many moments in a save ``sigkill-in-save`` tries at most.
      alone: whether NEW is compared with itself; OLD is then never started.
    """

    old: Program
    new: Program
    faults: list[str] = field(default_factory=lambda: list(QUICK))
    at: list[int] = field(default_factory=list)
    share_initial: bool | None = None
    continue_old: bool = False
    tolerance: float = 0.0
    timeout: float = TIMEOUT_SECONDS
    changes: int = QUICK_CHANGES
    alone: bool = False
