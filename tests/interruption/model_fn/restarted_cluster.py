"""A job of several tasks, of which one is struck and each that fails is started again, as a container is OnFailure."""

import json
import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass

from migrate.verify.training_program import task_variables
from tests import nursery

JOB_SECONDS = 600
"""After so long a job hangs, also on a machine that is busy with others."""
AGAIN_SECONDS = 1
"""After so long a task that failed is started again."""

STEPS = {True: 900, False: 60}
"""The last step: with parameter servers, where each of several tasks takes its own, and without."""


class Task:
    """A task of a job, through all of its starts.

    Attributes:
      starts: how many there were.
      ended_at: when it last failed.
    """

    def __init__(self, name, command, environment, log):
        self.name, self._log = name, log
        self._command, self._environment = command, environment
        self.starts, self.ended_at, self._again_at = 0, 0, None
        self.start()

    def start(self):
        self.starts, self._again_at = self.starts + 1, None
        with open(self._log, "ab") as log:
            self.process = nursery.launch(self._command, self._environment, stdout=log, stderr=subprocess.STDOUT)

    def is_done(self, again_seconds=AGAIN_SECONDS):
        """Whether it has come to its own end; one that failed is started again in its time."""
        code, now = self.process.poll(), time.monotonic()
        if code and self._again_at is None:
            self.ended_at, self._again_at = now, now + again_seconds
        if self._again_at is not None and now >= self._again_at:
            self.start()
        return code == 0

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()

    @property
    def output(self):
        return self._log.read_text(errors="replace")

    def numbers(self, word):
        """Those in the lines that begin with a word."""
        return [int(number) for number in re.findall(rf"^{word} (\d+)$", self.output, re.MULTILINE)]


@dataclass
class Blow:
    """What strikes a task: a SIGKILL, or a SIGSTOP.

    Attributes:
      again_seconds: after so long the killed task is started again.
      stop_seconds: for so long it is stopped, in place of a kill.
      is_early: whether it strikes before the task's first step, and not once the job has saved.
    """

    again_seconds: float = AGAIN_SECONDS
    stop_seconds: float | None = None
    is_early: bool = False


class Job:
    """A job of any_cluster.py.

    Args:
      python, program: of each task.
      types: of its tasks.
      folder: a new directory for its model and what its tasks print.
      more: further arguments of the program.
    """

    def __init__(self, python, program, types, folder, *more):
        self._has_servers, self.model_dir = "ps" in types, folder / "model"
        last = STEPS[self._has_servers]
        command = [python, str(program), "--model_dir", str(self.model_dir), "--max_steps", str(last), *more]
        environment = {**os.environ, "PYTHONPATH": "", "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        names = [f"{kind} {types[:index].count(kind)}" for index, kind in enumerate(types)]
        self.tasks = [
            Task(name, command, {**environment, **each}, folder / f"{name}.txt")
            for name, each in zip(names, _variables(types), strict=True)
        ]
        self.began = time.monotonic()
        self.noticed, self.missing, self.seconds = {}, [], 0

    @contextmanager
    def ended(self):
        """A context at the end of which all of its tasks are."""
        try:
            yield self
        finally:
            for task in self.tasks:
                task.end()

    def strike(self, number, blow):
        """Strikes a task, and waits for the end of the job.

        It sets ``noticed``, after how many seconds each other task failed, ``missing``, the tasks that came to no end,
        and ``seconds``, how long the job went on.
        """
        struck = self.tasks[number]
        while not self._is_due(struck, blow):
            assert not self._is_late(), "the job did not begin"
            for task in self.tasks:
                task.is_done()
            time.sleep(0.02)
        at = time.monotonic()
        struck.process.send_signal(signal.SIGKILL if blow.stop_seconds is None else signal.SIGSTOP)
        waiting = [task for task in self.tasks if not task.name.startswith("ps")]
        while waiting and not self._is_late():
            if blow.stop_seconds is not None and time.monotonic() - at > blow.stop_seconds:
                struck.process.send_signal(signal.SIGCONT)
            for task in self.tasks:
                is_first = task is struck and task.ended_at <= at
                if task.is_done(blow.again_seconds if is_first else AGAIN_SECONDS) and task in waiting:
                    waiting.remove(task)
                if task.ended_at > at and task is not struck:
                    self.noticed.setdefault(task.name, task.ended_at - at)
            time.sleep(0.05)
        self.missing, self.seconds = [task.name for task in waiting], time.monotonic() - at

    def _is_due(self, struck, blow):
        if blow.is_early:
            return struck.name.startswith(("ps", "evaluator")) or struck.numbers("ready at")
        return max((step for task in self.tasks for step in task.numbers("step")), default=0) >= 25

    def _is_late(self):
        return time.monotonic() - self.began > JOB_SECONDS


def _variables(types):
    if len(types) > 1:
        return task_variables(types)
    told = json.loads(task_variables([*types, *types])[0]["TF_CONFIG"])
    told["cluster"][types[0]] = told["cluster"][types[0]][:1]
    return [{"TF_CONFIG": json.dumps(told)}]
