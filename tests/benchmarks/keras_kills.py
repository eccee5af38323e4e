"""Kill Keras jobs that recover by ``BackupAndRestore`` at random moments, and compare what comes of them.

usage: python -m tests.benchmarks.keras_kills [--kills N] [--within-saves SHARE] [--seed N] [--lines L,...] [SHAPE...]

A job is killed by SIGKILL again and again until it ends: in the middle of an epoch, or up to 15 ms after a save of the
recovery or of the program has begun. Then another follows, until N kills have struck on each line: Keras 2 of
MIGRATE_OLD_PYTHON, tf_keras and Keras 3 of MIGRATE_NEW_PYTHON. A job is lost if a start fails, if an epoch is trained
that was done before the last one, or if its last weights are not those of an undisturbed run, bit for bit.
"""

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from itertools import cycle
from pathlib import Path

import numpy as np

from tests.interruption.resume.killed_jobs import KilledJob
from tests.interruption.resume.test_killed_jobs import SHAPES

EPOCHS = 6
WITHOUT_FILES = {"best", "at_end", "own_loop"}
"""Jobs with epochs after which the program saves nothing: saved as often as that takes less than the training."""


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
        if job.status == 1:
            return struck, f"{kill}: {job.output[-1500:]}"
        if epochs and epochs[0] < done and shape not in WITHOUT_FILES:
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
    parser.add_argument("--lines", default="keras2,tf_keras,keras3")
    parser.add_argument("shapes", nargs="*")
    args = parser.parse_args()
    old, new = (os.environ.get(f"MIGRATE_{name}_PYTHON", sys.executable) for name in ("OLD", "NEW"))
    lines = {"keras2": (old, False), "tf_keras": (new, True), "keras3": (new, False)}
    lost = []
    for line in args.lines.split(","):
        chance, struck, jobs, known = random.Random(f"{line}{args.seed}"), Counter(), 0, {}
        for shape in cycle(args.shapes or SHAPES):
            if struck.total() >= args.kills or len(lost) > 20:
                break
            with tempfile.TemporaryDirectory() as folder:
                if shape not in known:
                    job = KilledJob(Path(folder) / "undisturbed", *lines[line])
                    job.start(shape, "--eager")
                    known[shape] = job.final
                job = KilledJob(Path(folder) / "job", *lines[line])
                kills, problem = run_job(job, shape, known[shape], chance, args.within_saves)
            struck, jobs = struck + kills, jobs + 1
            lost += [f"{line} {shape}: {problem}"] if problem else []
            print(f"{line}: {jobs} jobs, {struck.total()} kills {dict(struck)}, {len(lost)} lost", flush=True)
            print(lost[-1] if problem else "", end="", flush=True)
    print("\n".join(lost))
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
