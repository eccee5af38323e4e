"""Faults that strike one task of a cluster; the job is then started again as a whole, as a cluster does."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from migrate.verify.child import Child
from migrate.verify.faults.fault import Fault, FaultUnavailable, Kill, PausingFault
from migrate.verify.training_program import Program


class _ClusterFault(Fault):
    @contextmanager
    def prepare(self, program: Program, model_dir: Path) -> Iterator[Program]:
        if program.workers + program.chief == 1:
            raise FaultUnavailable("one process trains; --workers and --chief start several")
        yield program


class KilledWorker(_ClusterFault, Kill):
    """The last of several TF_CONFIG workers is sent SIGKILL after the step."""

    name = "worker-killed"
    worker = -1


class KilledChief(_ClusterFault, Kill):
    """The chief, or the first of several TF_CONFIG workers, is sent SIGKILL after the step."""

    name = "chief-killed"
    worker = 0


class KilledTogether(_ClusterFault, PausingFault):
    """All tasks of the job are sent SIGKILL at once, when the chief has made the step."""

    name = "all-killed"

    def strike(self, child: Child, deadline: float) -> None:
        for each in child.job:
            each.kill()


class _KilledTask(Fault):
    """Kills a task that makes no steps from outside; the chief may have made a few more steps by then."""

    same_moment = False
    task: ClassVar[str]
    flag: ClassVar[str]

    @contextmanager
    def prepare(self, program: Program, model_dir: Path) -> Iterator[Program]:
        if self.task not in program.tasks:
            raise FaultUnavailable(f"the job has no such task; {self.flag} starts one")
        yield program

    def watch(self, child: Child, start: int, deadline: float) -> None:
        if child.wait_for("step", deadline, self.at):
            child.first_tasks[self.task].kill()
            event = {"event": "fault", "kind": self.name, "step": self.at, "wanted": self.at, "time": time.time()}
            child.events.append(event)


class KilledServer(_KilledTask):
    """The first parameter server is sent SIGKILL after the step; tasks that wait for it are ended."""

    name = "ps-killed"
    task = "ps"
    flag = "--ps"


class KilledEvaluator(_KilledTask):
    """The evaluator is sent SIGKILL after the step; tasks that are not done soon are ended."""

    name = "evaluator-killed"
    task = "evaluator"
    flag = "--evaluator"
