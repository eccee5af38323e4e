"""How near canned estimators come: ``python -m tests.tensorflow.canned.table {object,keras}``.

``MIGRATE_OLD_PYTHON`` names an interpreter with TensorFlow 2.15, ``MIGRATE_NEW_PYTHON`` one with the newest; the
migrated programs run under both. Each estimator trains 10 steps; then it, and what it became, go on for 50 more from
that checkpoint. Compared are the loss of each of these steps, and all variables and slots at the end: those of a Keras
model after they were carried back.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.tensorflow.canned.conftest import IN_KERAS, PROGRAMS, AsObject, InKeras, difference, parts_of
from tests.tensorflow.canned.test_continuation import by_name
from tests.tensorflow.canned.test_in_keras import values

KINDS = {"object": AsObject, "keras": InKeras}


def variables(job, name):
    """The largest difference of a variable as a part of its largest value, infinite if one is missing.

    A Saver leaves the part and the scope out of a partitioned variable's name; then it is the most alike of its shape.
    """
    is_keras = isinstance(job, InKeras)
    read = values if is_keras else by_name
    old = read(job.old / name / "model.ckpt-60")
    new = read(job.new / name / ("back/model.ckpt-60" if is_keras else "model.ckpt-60"))
    worst = 0.0
    for key, value in old.items():
        like = [new[key]] if is_keras else [other for other in new.values() if other.shape == value.shape]
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
    (kind,) = sys.argv[1:]
    pythons = [os.environ[f"MIGRATE_{line}_PYTHON"] for line in ("OLD", "NEW")]
    found = [f"{version(python)}: equal losses of 50 | loss | variables" for python in pythons]
    print(f"| estimator, optimizer | {' | '.join(found)} |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for program in [IN_KERAS] if kind == "keras" else PROGRAMS:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            folders = zip(pythons, (one, other), strict=True)
            jobs = [KINDS[kind](program, Path(folder) / "job", python) for python, folder in folders]
            for name in parts_of(program):
                api = "v2" if program.stem.endswith("_2") or name.endswith("_2") else "v1"
                label = name.removesuffix("_2").replace("_", ", ", 1)
                print(f"| {api} {label} | {' | '.join(cells(job, name) for job in jobs)} |", flush=True)


if __name__ == "__main__":
    main()
