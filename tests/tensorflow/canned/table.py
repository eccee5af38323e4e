"""How near canned estimators come: ``python -m tests.tensorflow.canned.table`` as a model_fn, ``… keras`` in Keras.

``MIGRATE_OLD_PYTHON`` names an interpreter with TensorFlow 2.15. Each estimator trains 10 steps; then it, and what it
became, go on for 50 more from that checkpoint. Compared are all variables and slots at the end, those of a Keras model
after they were carried back. ``--old DIRECTORY`` takes the estimators' runs from where they were kept.
"""

import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from tests.tensorflow.canned.conftest import IN_KERAS, PROGRAMS, Continued, InKeras
from tests.tensorflow.canned.test_continuation import PARTS, by_name
from tests.tensorflow.canned.test_in_keras import values


def difference(old, new):
    """The largest difference of a variable from the most alike of the same shape, as a part of its largest value."""
    worst = 0.0
    for value in old.values():
        like = [other for other in new.values() if other.shape == value.shape]
        nearest = min((float(np.max(np.abs(other - value), initial=0)) for other in like), default=np.inf)
        worst = max(worst, nearest / max(float(np.max(np.abs(value), initial=0)), 1e-30))
    return worst


def difference_by_name(old, new):
    """The largest difference of a variable as a part of its largest value, infinite if one is missing."""
    if old.keys() != new.keys():
        return np.inf
    size = {name: max(float(np.max(np.abs(value), initial=0)), 1e-30) for name, value in old.items()}
    return max(float(np.max(np.abs(new[name] - value), initial=0)) / size[name] for name, value in old.items())


def in_keras(kept):
    print(f"| estimator | the same to the last bit | largest relative difference, TensorFlow {tf.__version__} |")
    print("| --- | --- | --- |")
    for program, names in IN_KERAS.items():
        with tempfile.TemporaryDirectory() as folder:
            old = Path(kept) / program.stem if kept else Continued(program, Path(folder)).old
            job = InKeras(SimpleNamespace(program=program, old=old), Path(folder))
            for name in names:
                found = difference_by_name(
                    values(old / name / "model.ckpt-60"), values(job.new / name / "back" / "model.ckpt-60")
                )
                api = "v2" if program.stem.endswith("_2") else "v1"
                print(f"| {api} {name.replace('_', ', ', 1)} | {'no' if found else 'yes'} | {found:.1e} |", flush=True)


def main():
    if "keras" in sys.argv:
        in_keras(sys.argv[sys.argv.index("--old") + 1] if "--old" in sys.argv else None)
        return
    chosen = [program for program in PROGRAMS if program.stem in sys.argv[1:]] or PROGRAMS
    print(f"| estimator | the same to the last bit | largest relative difference, TensorFlow {tf.__version__} |")
    print("| --- | --- | --- |")
    for program in chosen:
        with tempfile.TemporaryDirectory() as folder:
            both = Continued(program, Path(folder))
            for one, name in PARTS:
                if one is program:
                    paths = both.old / name / "model.ckpt-60", both.new / name / "ckpt-60"
                    found = difference(*map(by_name, paths))
                    api = "v2" if program.stem.endswith("_2") else "v1"
                    print(
                        f"| {api} {name.replace('_', ', ', 1)} | {'yes' if not found else 'no'} | {found:.1e} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
