"""Kill Keras jobs that resume by files again and again, under the code that the codemod writes for them.

usage: python -m tests.benchmarks.keras_kills [--kills N] [--lines LINE,...] [SHAPE...]

Each job is stopped under the old code on MIGRATE_OLD_PYTHON, goes on under the new code from the old files, and is
killed there: every third time in the middle of an epoch, else at a random moment near a save. A job that has ended is
followed by another, until N kills have struck on each line: Keras 2 of the old interpreter, tf_keras and Keras 3 of the
new one. A kill is lost where a start fails, begins at another epoch or with other weights than were saved, or without
the optimizer's state.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
from itertools import cycle
from pathlib import Path

from tests.interruption.resume.stopped import EPOCHS, Job, check, shapes

KERAS_2_ALONE = {"latest_checkpoint"}


WHOLE_MODELS = {"json_file", "model_and_epoch", "newest_by_time"}
"""Keras 3 loads no whole model with an optimizer of Keras 2: these jobs begin on the Keras that they go on with."""


def run_job(shape, python, legacy_keras, old_python, moments, directory):
    """Take one job from the old code to its end; gives how many kills struck, and what went wrong, "" for nothing."""
    job, struck = Job(shape, directory), 0
    first = (python, legacy_keras) if shape in WHOLE_MODELS else (old_python, False)
    status, output = job.start(job.old, *first, kill="batch:2:2")
    if status != -signal.SIGKILL:
        return struck, f"the old code ended with {status}: {output[-500:]}"
    for epoch in range(3, EPOCHS):
        for _ in range(2):
            kill = f"batch:{epoch}:{moments.randrange(4)}"
            kill = kill if moments.randrange(3) == 0 else f"save:{epoch}:{moments.randrange(80)}"
            status, output = job.start(job.new, python, legacy_keras=legacy_keras, kill=kill)
            struck += status == -signal.SIGKILL
            if status not in (0, -signal.SIGKILL):
                return struck, f"{kill}: {output[-800:]}"
    status, output = job.start(job.new, python, legacy_keras=legacy_keras)
    try:
        assert status == 0, output[-800:]
        check(job)
    except AssertionError as error:
        return struck, str(error)
    return struck, ""


def main():
    """Prints a row for each line, and what was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--lines", default="keras2,tf_keras,keras3")
    parser.add_argument("shapes", nargs="*")
    args = parser.parse_args()
    old, new = (os.environ.get(f"MIGRATE_{name}_PYTHON", sys.executable) for name in ("OLD", "NEW"))
    lines = {"keras2": (old, False), "tf_keras": (new, True), "keras3": (new, False)}
    lost_any = False
    for line in args.lines.split(","):
        python, legacy_keras = lines[line]
        moments, struck, lost, jobs = random.Random(line), 0, [], 0
        for shape in cycle(args.shapes or shapes()):
            if struck >= args.kills or len(lost) > 3:
                break
            if line == "keras3" and shape in KERAS_2_ALONE:
                continue
            with tempfile.TemporaryDirectory() as directory:
                kills, problem = run_job(shape, python, legacy_keras, old, moments, Path(directory))
            struck, jobs = struck + kills, jobs + 1
            lost += [f"{shape}: {problem}"] if problem else []
            print(f"{line}: {jobs} jobs, {struck} kills, {len(lost)} lost", flush=True)
        print("\n".join(lost))
        lost_any = lost_any or bool(lost)
    sys.exit(lost_any)


if __name__ == "__main__":
    main()
