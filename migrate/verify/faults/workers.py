"""Faults that strike one of several workers; the job is then started again as a whole, as a cluster does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from migrate.verify.faults.fault import FaultUnavailable, Place
from migrate.verify.faults.kills import Kill
from migrate.verify.program import Program


class _KilledTask(Kill):
    @contextmanager
    def place(self, program: Program, model_dir: Path) -> Iterator[Place]:
        if program.workers + program.chief == 1:
            raise FaultUnavailable("one process trains; --workers and --chief start several")
        with super().place(program, model_dir) as place:
            yield place


class KilledWorker(_KilledTask):
    """The last of several TF_CONFIG workers is sent SIGKILL after the step."""

    name = "worker-killed"
    worker = -1


class KilledChief(_KilledTask):
    """The chief, or the first of several TF_CONFIG workers, is sent SIGKILL after the step."""

    name = "chief-killed"
    worker = 0
