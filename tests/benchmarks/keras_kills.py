"""Kill Keras jobs that recover by ``BackupAndRestore`` at random moments, and compare what comes of them.

usage: python -m tests.benchmarks.keras_kills [--kills N] [--within-saves SHARE] [--seed N] [SHAPE...]

A job is killed by SIGKILL again and again until it ends: in the middle of an epoch, or up to 15 ms after a save of the
recovery or of the program has begun. Then another follows, until N kills have struck. A job is lost if a start fails
or cannot save, if an epoch is trained that was done before the last one, or if its last weights are not those of an
undisturbed run, bit for bit. Each start is a fork of this process, which has imported TensorFlow and its Keras.
"""

import argparse
import multiprocessing.util
import os
import random
import runpy
import sys
import tempfile
import traceback
from collections import Counter
from itertools import cycle
from pathlib import Path

import h5py  # noqa: F401
import numpy as np
import tensorflow as tf

from tests.interruption.resume.killed_jobs import KilledJob
from tests.interruption.resume.test_killed_jobs import SHAPES, WITHOUT_FILES

EPOCHS = 6
COUNTING = "every_two"
"""A job that counts its files, and saves after every second epoch alone."""


class ForkedJob(KilledJob):
    """A job whose starts are forks of this process."""

    def run(self, command, environment):
        output = self.directory / "output"
        process = os.fork()
        if process == 0:
            os.chdir(self.directory)
            os.environ.clear()
            os.environ.update(environment)
            file = os.open(output, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            os.dup2(file, 1)
            os.dup2(file, 2)
            os._exit(run_here(command[1:]))
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        return status, output.read_text(errors="replace")


def run_here(arguments):
    """Runs a program to the end of its process; returns the exit status."""
    sys.argv, sys.path[0] = arguments, os.getcwd()
    status = 0
    try:
        runpy.run_path(arguments[0], run_name="__main__")
    except BaseException as error:
        traceback.print_exc()
        sys.last_type, status = type(error), 1
    multiprocessing.util._exit_function()  # Python's own calls at exit are those of the parent.
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def moment(chance, within_saves):
    """When a start is killed, and which sort of moment that is."""
    if chance.random() < within_saves:
        kind = chance.choice(("state", "file"))
        return f"{kind}:{chance.randrange(1, 4)}:{chance.uniform(0, 15):.2f}", kind
    return f"batch:{chance.randrange(EPOCHS)}:{chance.randrange(5)}", "batch"


def run_job(job, shape, expected, chance, within_saves):
    """Kills a job until it ends; returns how many kills of each sort struck, and what went wrong, "" for nothing."""
    struck, done = Counter(), -1
    for _ in range(12):
        kill, kind = moment(chance, within_saves)
        epochs = job.start(shape, "--eager", kill=kill, status=(0, -9, 1))
        struck[kind] += job.status == -9
        if job.status == 1 or "Cannot save" in job.output or "Traceback" in job.output:
            return struck, f"{kill}: {job.output[-1500:]}"
        if epochs and epochs[0] < done and shape not in (*WITHOUT_FILES, COUNTING):
            return struck, f"{kill}: epoch {epochs[0]} again, {done} had begun"
        done = max([done, *epochs])
        if job.status == 0:
            break
    else:
        job.start(shape, "--eager", status=(0,))
    is_equal = np.array_equal(job.final, expected)
    return struck, "" if is_equal else "other weights at the end"


def main():
    """Prints a row for each job, and what was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--within-saves", type=float, default=0.4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("shapes", nargs="*")
    args = parser.parse_args()
    line = f"TensorFlow {tf.__version__}, {tf.keras.Model.__module__.split('.')[0]}"
    chance, struck, jobs, known, lost = random.Random(args.seed), Counter(), 0, {}, []
    for shape in cycle(args.shapes or [*SHAPES, COUNTING]):
        if struck.total() >= args.kills or len(lost) > 20:
            break
        with tempfile.TemporaryDirectory() as folder:
            if shape not in known:
                job = ForkedJob(Path(folder) / "undisturbed", sys.executable)
                job.start(shape, "--eager")
                known[shape] = job.final
            job = ForkedJob(Path(folder) / "job", sys.executable)
            kills, problem = run_job(job, shape, known[shape], chance, args.within_saves)
        struck, jobs = struck + kills, jobs + 1
        lost += [f"{shape}: {problem}"] if problem else []
        print(lost[-1] + "\n" if problem else "", end="")
        print(f"{line}: {jobs} jobs, {struck.total()} kills {dict(struck)}, {len(lost)} lost", flush=True)
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
