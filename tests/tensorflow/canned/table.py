"""How near canned estimators come: ``python -m tests.tensorflow.canned.table``.

``MIGRATE_OLD_PYTHON`` names an interpreter with TensorFlow 2.15, ``MIGRATE_NEW_PYTHON`` one with the newest; the
migrated programs run under both. Each estimator trains 10 steps; then it, and what it became, go on for 50 more from
that checkpoint. Compared are the loss of each of these steps, and all variables and slots at the end.
"""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from tests.tensorflow.canned.conftest import PROGRAMS, AsObject, difference, parts_of
from tests.tensorflow.canned.test_continuation import by_name


def variables(job, name):
    """The largest difference of a variable as a part of its largest value, infinite if one is missing.

    A Saver leaves the part and the scope out of a partitioned variable's name, so the most alike of its shape counts.
    """
    old, new = by_name(job.old / name / "model.ckpt-60"), by_name(job.new / name / "model.ckpt-60")
    worst = 0.0
    for value in old.values():
        like = [other for other in new.values() if other.shape == value.shape]
        nearest = min((float(np.max(np.abs(other - value), initial=0)) for other in like), default=np.inf)
        worst = max(worst, nearest / max(float(np.max(np.abs(value), initial=0)), 1e-30))
    return worst


def cells(job, name):
    old, new = job.losses(name)
    return f"{np.sum(old == new)} | {difference(new, old):.1e} | {variables(job, name):.1e}"


def version(python):
    code = "import tensorflow; print(tensorflow.__version__)"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def main():
    pythons = [os.environ[f"MIGRATE_{line}_PYTHON"] for line in ("OLD", "NEW")]
    found = [f"{version(python)}: equal losses of 50 | loss | variables" for python in pythons]
    print(f"| estimator, optimizer | {' | '.join(found)} |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for program in PROGRAMS:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            folders = zip(pythons, (one, other), strict=True)
            jobs = [AsObject(program, Path(folder) / "job", python) for python, folder in folders]
            for name in parts_of(program):
                api = "v2" if program.stem.endswith("_2") or name.endswith("_2") else "v1"
                label = name.removesuffix("_2").replace("_", ", ", 1)
                print(f"| {api} {label} | {' | '.join(cells(job, name) for job in jobs)} |", flush=True)


if __name__ == "__main__":
    main()
