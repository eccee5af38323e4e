"""The disk is full when the next checkpoint is due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from migrate.verify.faults.fault import Fault


@dataclass
class DiskFull(Fault):
    """From the step on no file can grow, as on a full disk; the start after it has room again.

    Attributes:
      bytes: the size up to which a file can still grow.
    """

    bytes: int = 0
    name = "disk-full"

    def instruction(self, start: int) -> dict[str, Any] | None:
        return {"kind": "fill_disk", "at": self.at, "bytes": self.bytes}
