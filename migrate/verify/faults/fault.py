"""What is done to a program, from inside or from outside, at each of its starts."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

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
      kind: what the recorder does from inside; empty where the fault strikes from outside alone.
      signal: which signal it sends, if any.
      interruptions: how many starts it interrupts; the start after them runs undisturbed.
      same_moment: whether it strikes two programs after the same step, so that their resumptions must be equal.
      damages: whether it takes away from the checkpoints, so that a program that still finds one does better.
      worker: which of several workers is told the instruction.
      notes: what could not be done as asked, filled in while it runs.
    """

    at: int
    name: ClassVar[str]
    kind: ClassVar[str] = ""
    signal: ClassVar[str] = ""
    interruptions: ClassVar[int] = 1
    same_moment: ClassVar[bool] = True
    damages: ClassVar[bool] = False
    worker: ClassVar[int] = 0

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls):
            FAULTS[cls.name] = cls

    def __post_init__(self) -> None:
        self.notes: list[str] = []

    @contextmanager
    def prepare(self, program: Program, model_dir: Path) -> Iterator[Program]:
        """Prepare the directory that all starts of a run take place in, and give the program that is started there."""
        yield program

    def instruction(self, start: int) -> dict[str, Any] | None:
        """What the recorder does from inside at this start, counted from 0; None for nothing."""
        return {"kind": self.kind, "signal": self.signal, "at": self.at} if self.kind else None

    def watch(self, child: Child, start: int, deadline: float) -> None:
        """Strike from outside while the program runs."""

    def between(self, model_dir: Path, attempt: Attempt) -> None:
        """Strike at the directory after an interrupted start."""


class PausingFault(Fault):
    """The program waits after the step until ``release`` is called, or ``strike`` has ended."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._gate = Path(tempfile.gettempdir()) / f"migrate-verify-{os.getpid()}-{id(self)}"

    def instruction(self, start: int) -> dict[str, Any] | None:
        self._gate.touch()
        return {"kind": "pause", "at": self.at, "while": str(self._gate)}

    def watch(self, child: Child, start: int, deadline: float) -> None:
        try:
            if child.wait_for("fault", deadline):
                self.strike(child, deadline)
        finally:
            self.release()

    def strike(self, child: Child, deadline: float) -> None:
        """Strike the program, which waits."""
        raise NotImplementedError

    def release(self) -> None:
        """Let the program go on."""
        self._gate.unlink(missing_ok=True)


FAULTS: dict[str, type[Fault]] = {}
"""Every fault by its name; a class that has one is put here."""


class RaisedException(Fault):
    """An exception is raised after the step, where a hook or callback of the program's own would raise it."""

    name = "exception"
    kind = "exception"


class KeyboardInterruption(Fault):
    """KeyboardInterrupt is raised after the step, as by Ctrl-C."""

    name = "keyboard-interrupt"
    kind = "interrupt"


class Terminate(Fault):
    """The program is sent SIGTERM after the step, as a cluster does before it takes the machine away."""

    name = "sigterm"
    kind, signal = "signal", "SIGTERM"


class Kill(Fault):
    """The program is sent SIGKILL after the step."""

    name = "sigkill"
    kind, signal = "signal", "SIGKILL"


class TwoKills(Kill):
    """The program is sent SIGKILL after the step, and again one step after it has gone on from the same checkpoint."""

    name = "two-kills"
    interruptions = 2

    def instruction(self, start: int) -> dict[str, Any] | None:
        return super().instruction(start) if start == 0 else {"kind": self.kind, "signal": self.signal, "after": 1}
