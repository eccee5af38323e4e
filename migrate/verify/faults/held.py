"""Faults that strike from outside while the program waits, just after a step."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.verify.faults.fault import Fault

if TYPE_CHECKING:
    from migrate.verify.child import Child


class Held(Fault):
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
