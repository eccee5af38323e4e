"""SIGKILL after the step, and then a second start with something in the program that is not as it was."""

from __future__ import annotations

from typing import Any

from migrate.verify.faults.kills import Kill


class _Changed(Kill):
    change = ""

    def last_instruction(self) -> dict[str, Any] | None:
        return {"kind": self.change}


class WrongOptimizer(_Changed):
    """SIGKILL after the step; then a start with another optimizer, which the program should refuse."""

    name = "wrong-optimizer"
    change = "wrong_optimizer"
    must_refuse = True


class ChangedSeed(_Changed):
    """SIGKILL after the step; then a start with another global seed of TensorFlow."""

    name = "changed-seed"
    change = "changed_seed"
