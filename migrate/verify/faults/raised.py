"""Faults that Python or the operating system tells the program about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.verify.faults.fault import Fault, FaultUnavailable
from migrate.verify.place import Place

if TYPE_CHECKING:
    from migrate.verify.training_program import Program


class RaisedException(Fault):
    """An exception is raised after the step, where a hook or callback of the program's own would raise it."""

    name = "exception"

    def instruction(self, start: int) -> dict[str, Any] | None:
        return {"kind": "exception", "at": self.at}


@dataclass
class ExceptionInHook(Fault):
    """An exception in a hook or callback of the program's own, at a step with a save.

    Attributes:
      hooks: the names of the classes; the first of them that runs raises it.
    """

    hooks: tuple[str, ...] = ()
    name = "exception-in-hook"

    @contextmanager
    def place(self, program: Program, model_dir: Path) -> Iterator[Place]:
        if not self.hooks:
            raise FaultUnavailable("the programs have no hook or callback of their own")
        with super().place(program, model_dir) as place:
            yield place

    def instruction(self, start: int) -> dict[str, Any] | None:
        return {"kind": "exception_in_hook", "at": self.at, "names": list(self.hooks)}


class KeyboardInterruption(Fault):
    """KeyboardInterrupt is raised after the step, as by Ctrl-C."""

    name = "keyboard-interrupt"

    def instruction(self, start: int) -> dict[str, Any] | None:
        return {"kind": "interrupt", "at": self.at}


class Terminate(Fault):
    """The program is sent SIGTERM after the step, as a cluster does before it takes the machine away."""

    name = "sigterm"

    def instruction(self, start: int) -> dict[str, Any] | None:
        return {"kind": "signal", "signal": "SIGTERM", "at": self.at}
