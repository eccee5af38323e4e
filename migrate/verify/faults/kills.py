"""Faults by SIGKILL: the program cannot do anything about it."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from migrate.verify.faults.fault import Fault

if TYPE_CHECKING:
    from migrate.verify.child import Child


class Kill(Fault):
    """The program is sent SIGKILL after the step."""

    name = "sigkill"

    def instruction(self, start: int) -> dict[str, Any] | None:
        return {"kind": "signal", "signal": "SIGKILL", "at": self.at}


@dataclass
class RandomKills(Fault):
    """The program is sent SIGKILL at several random moments, each after a start has made its first step.

    Attributes:
      times: how many times.
      seed: of the moments; how far the program is then depends on the machine too.
      within: the longest time after a start's first step, in seconds.
    """

    times: int = 3
    seed: int = 0
    within: float = 1.0
    name = "random-sigkills"
    same_moment = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._random = random.Random(self.seed)

    @property
    def starts(self) -> int:
        return self.times

    def watch(self, child: Child, start: int, deadline: float) -> None:
        if child.wait_for("step", deadline):
            time.sleep(self._random.random() * self.within)
            child.kill()


class TwoKills(Fault):
    """The program is sent SIGKILL after the step, and again one step after it has gone on from the same checkpoint."""

    name = "two-kills"
    interruptions = 2

    def instruction(self, start: int) -> dict[str, Any] | None:
        moment = {"at": self.at} if start == 0 else {"after": 1}
        return {"kind": "signal", "signal": "SIGKILL", **moment}
