"""The base classes of faults, and the faults that interrupt one process."""

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
    """The fault cannot be tried here; the message says what is missing."""


@dataclass
class Fault:
    """An interruption; the first line of each subclass' docstring is its help.

    Attributes:
      at: the step after which it strikes.
      name: its name for ``--fault``.
      kind: what the recorder does inside the process; "" if the fault only strikes from outside.
      signal: the name of the signal that it sends; "" for none.
      interruptions: how many starts it interrupts; the start after them runs undisturbed.
      same_moment: whether it strikes two programs after the same step, so that their resumptions must be equal.
      damages: whether it damages checkpoints, so that a program that still finds one does better.
      worker: the index of the worker whose recorder gets the instruction.
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
        """Prepares the directory of a run before its first start, and yields the program to start there."""
        yield program

    def instruction(self, start: int) -> dict[str, Any] | None:
        """Returns what the recorder does inside the process at this start, counted from 0; None for nothing."""
        return {"kind": self.kind, "signal": self.signal, "at": self.at} if self.kind else None

    def watch(self, child: Child, start: int, deadline: float) -> None:
        """Strikes from outside while the program runs."""

    def after_interruption(self, model_dir: Path, attempt: Attempt) -> None:
        """Damages the directory after an interrupted start."""


class PausingFault(Fault):
    """A fault whose program waits after the step until ``release`` is called or ``strike`` returns."""

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
        """Strikes the waiting program."""
        raise NotImplementedError

    def release(self) -> None:
        """Lets the program continue."""
        self._gate.unlink(missing_ok=True)


FAULTS: dict[str, type[Fault]] = {}
"""Name -> fault; each subclass of Fault with a name registers itself."""


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
