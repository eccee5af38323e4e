"""Faults that end the program's own process after a step."""

from typing import Any

from migrate.verify.faults.fault import Fault


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
