"""What a fault is: what is done to a program, from inside or from outside, at each of its starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from migrate.verify.place import Place

if TYPE_CHECKING:
    from migrate.verify.child import Child
    from migrate.verify.record import Attempt
    from migrate.verify.training_program import Program


class FaultUnavailable(Exception):
    """The fault cannot be brought about on this machine; the message says what is missing."""


@dataclass
class Fault:
    """An interruption; the first line of each subclass' docstring is its help.

    Attributes:
      at: the step after which it strikes.
      name: what ``--fault`` calls it.
      interruptions: how many starts it interrupts; the start after them runs undisturbed.
      same_moment: whether it strikes two programs after the same step, so that their resumptions must be equal.
      damages: whether it takes away from the checkpoints, so that a program that still finds one does better.
      worker: which of several workers is told the instruction.
      notes: what could not be done as asked, filled in while it runs.
    """

    at: int
    name: ClassVar[str]
    interruptions: ClassVar[int] = 1
    same_moment: ClassVar[bool] = True
    damages: ClassVar[bool] = False
    worker: ClassVar[int] = 0

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls):
            FAULTS[cls.name] = cls

    def __post_init__(self) -> None:
        self.notes: list[str] = []

    @property
    def starts(self) -> int:
        """How many starts are interrupted."""
        return self.interruptions

    @contextmanager
    def place(self, program: Program, model_dir: Path) -> Iterator[Place]:
        """Prepare the place that all starts of a run take place in."""
        yield Place(model_dir)

    def instruction(self, start: int) -> dict[str, Any] | None:
        """What the recorder does from inside at this start, counted from 0; None for nothing."""
        return None

    def watch(self, child: Child, start: int, deadline: float) -> None:
        """Strike from outside while the program runs."""

    def between(self, model_dir: Path, attempt: Attempt) -> None:
        """Strike at the directory after an interrupted start."""


FAULTS: dict[str, type[Fault]] = {}
"""Every fault by its name; a class that has one is put here."""
