"""What one start of a program does: its record, its number, and the moment at which it is killed."""

import fnmatch
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

KILLED = 137
ENDED_BY_LIMIT = 99


@dataclass
class Start:
    """A start that is under way.

    Args:
      number: which start of the job this is, from 0.
      record: the file that its events are written to.
      root: the folder of the program's repository.
      kill: ``batch:N`` before the N-th batch is trained, ``save:N`` behind the N-th save since training began,
        ``torn:N`` in the middle of it.
      limit: the batches after which the start is left.
      made_up: paths that are not there, and that something made up is given for.
    """

    number: int = 0
    record: Path | None = None
    root: Path = Path()
    kill: str = "never:0"
    limit: int = 20000
    made_up: list[str] = field(default_factory=list)
    batches: int = 0
    saves: int = 0

    def write(self, event, **what):
        """Append an event to the record."""
        if self.record is not None:
            with REAL_OPEN(self.record, "a") as file:
                file.write(json.dumps({"event": event, "start": self.number, "batches": self.batches, **what}) + "\n")

    def place(self):
        """The line of the program that is being run, as FILE:LINE."""
        frame = sys._getframe(1)
        while frame is not None:
            file = Path(frame.f_code.co_filename)
            if self.root in file.parents and "tf2_recovery" not in file.parts:
                return f"{file.relative_to(self.root)}:{frame.f_lineno}"
            frame = frame.f_back
        return "?"

    def is_killed_by(self, kind, number):
        """End the process, as SIGKILL does, where this is the moment."""
        wanted, _, at = self.kill.partition(":")
        if wanted == kind and number == int(at) and self.batches | (kind == "batch"):
            self.write("killed", at=self.kill)
            os._exit(KILLED)

    def is_torn(self):
        """Whether the save that is being made is to be cut short."""
        return self.batches > 0 and self.kill == f"torn:{self.saves + 1}"

    def batch(self):
        """Count a batch that is about to be trained."""
        self.is_killed_by("batch", self.batches + 1)
        if self.batches >= self.limit:
            self.write("left")
            os._exit(ENDED_BY_LIMIT)
        self.batches += 1

    def saved(self, path, weights, **what):
        """Note a save."""
        self.write("save", path=os.path.relpath(str(path)), weights=weights, place=self.place(), **what)
        if self.batches:
            self.saves += 1
            self.is_killed_by("save", self.saves)

    def is_made_up(self, path):
        """Whether something made up stands for a path that is not there."""
        given = os.path.abspath(str(path))
        return any(
            given == one or given.startswith(one + os.sep) or fnmatch.fnmatch(given, one) for one in self.made_up
        )


REAL_OPEN = open
start = Start()
