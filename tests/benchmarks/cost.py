"""What a process costs in CPU time, wall time and memory, measured from outside."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Cost:
    """What one process took: CPU and wall time in seconds, the largest memory of any of its processes in MB."""

    cpu: float
    wall: float
    memory: float


def measured(command, environment, expected=(0, 1)):
    """Runs a command and waits for it.

    Raises:
      RuntimeError: it ended otherwise than expected: 1 says that something was found, 2 that a file cannot be read.
    """
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expected:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024 / 1e6)


def migrate(*arguments):
    """The command line of the codemod."""
    return [sys.executable, "-m", "migrate", *arguments]


def row(name, figure, target):
    """Prints a line of a table."""
    print(f"{name:52}{figure:>20}   {target}", flush=True)
