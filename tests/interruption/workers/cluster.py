"""One job of several processes on this machine, which TF_CONFIG tells of one another."""

import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import numpy as np

from migrate.verify.training_program import free_ports
from tests import nursery

AS_WORKER = Path(__file__).parent / "programs" / "as_worker.py"
SURVIVOR_SECONDS = 180
"""The longest that a worker may go on without the one that was killed."""

JOB_SECONDS = 300


@dataclass(frozen=True)
class Ended:
    """How one worker ended.

    Attributes:
      code: its exit status; minus the signal's number where it was killed; None where it had to be ended.
      output: what it printed.
      seconds: how long it lived on after the first worker had ended.
      weights: the model's weights at its end; none where it did not come that far.
    """

    code: int | None
    output: str
    seconds: float
    weights: tuple[np.ndarray, ...]

    @property
    def steps(self):
        """The steps that it made."""
        return [int(line.split()[1]) for line in self.output.splitlines() if line.startswith("step ")]


def task_variables(count, has_chief=False):
    """TF_CONFIG for each of ``count`` tasks, on ports that are free now.

    Args:
      count: how many.
      has_chief: whether the first is the task ``chief``, and not worker 0.
    """
    addresses = [f"localhost:{port}" for port in free_ports(count)]
    if has_chief:
        cluster = {"chief": addresses[:1], "worker": addresses[1:]}
        tasks = [("chief", 0), *(("worker", index) for index in range(count - 1))]
    else:
        cluster = {"worker": addresses}
        tasks = [("worker", index) for index in range(count)]
    return [json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}}) for kind, index in tasks]


def outputs_of(processes, seconds=JOB_SECONDS):
    """What ``communicate`` gives of each process; one that is there after so many seconds is killed."""

    def end():
        for process in processes:
            process.kill()

    limit = Timer(seconds, end)
    limit.start()
    try:
        with ThreadPoolExecutor(len(processes)) as at_once:
            return list(at_once.map(lambda process: process.communicate(), processes))
    finally:
        limit.cancel()
        end()


def run_job(python, command, scratch, faults=None, count=2, has_chief=False, env=None):
    """Start all workers of a job and wait until each has ended.

    Args:
      python: the interpreter.
      command: the program and its arguments.
      scratch: a new directory for what the workers print.
      faults: by a worker's number, what ``as_worker.py`` is told to do to it; all of them strike at once.
      count: how many workers.
      has_chief: whether the first is the task ``chief``.
      env: further variables.
    """
    scratch.mkdir()
    running = []
    for index, tf_config in enumerate(task_variables(count, has_chief)):
        variables = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", **(env or {}), "TF_CONFIG": tf_config}
        fault = f"{faults[index]}:{len(faults)}" if faults and index in faults else "none"
        told = [fault, str(scratch / f"{index}.npz")]
        with open(scratch / f"{index}.txt", "wb") as output:
            running.append(
                nursery.launch(
                    [python, str(AS_WORKER), *told, *command], env=variables, stdout=output, stderr=subprocess.STDOUT
                )
            )
    try:
        lived_on = _wait(running)
    finally:
        for process in running:
            process.kill()
            process.wait()
    return [
        Ended(
            process.returncode if index in lived_on else None,
            (scratch / f"{index}.txt").read_text(errors="replace"),
            lived_on.get(index, SURVIVOR_SECONDS),
            _arrays(scratch / f"{index}.npz"),
        )
        for index, process in enumerate(running)
    ]


def _wait(running):
    """How long after the first each process ended; one that did not in its time is missing."""
    ends = {}
    deadline = time.monotonic() + JOB_SECONDS
    while len(ends) < len(running) and time.monotonic() < deadline:
        for index, process in enumerate(running):
            if index not in ends and process.poll() is not None:
                ends[index] = time.monotonic()
                deadline = min(deadline, ends[index] + SURVIVOR_SECONDS)
        time.sleep(0.05)
    first = min(ends.values(), default=0.0)
    return {index: end - first for index, end in ends.items()}


def _arrays(path):
    if not path.exists():
        return ()
    with np.load(path) as arrays:
        return tuple(arrays[name] for name in arrays.files)


def write_mnist(path, examples):
    """A small .npz in MNIST's layout."""
    rng = np.random.RandomState(0)
    arrays = {}
    for split in ("train", "test"):
        arrays[f"x_{split}"] = rng.randint(0, 256, (examples, 28, 28), dtype=np.uint8)
        arrays[f"y_{split}"] = rng.randint(0, 10, examples, dtype=np.uint8)
    np.savez(path, **arrays)
