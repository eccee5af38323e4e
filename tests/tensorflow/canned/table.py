"""How near each canned estimator's model_fn comes: ``python -m tests.tensorflow.canned.table``, with TensorFlow.

``MIGRATE_OLD_PYTHON`` names an interpreter with TensorFlow 2.15. Each estimator trains 10 steps; then it, and the
model_fn that it became, go on for 50 more from that checkpoint. Compared are all variables and slots at the end.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

from tests.tensorflow.canned.conftest import PROGRAMS, Continued
from tests.tensorflow.canned.test_continuation import PARTS, by_name


def difference(old, new):
    """The largest difference of a variable from the most alike of the same shape, as a part of its largest value."""
    worst = 0.0
    for value in old.values():
        like = [other for other in new.values() if other.shape == value.shape]
        nearest = min((float(np.max(np.abs(other - value), initial=0)) for other in like), default=np.inf)
        worst = max(worst, nearest / max(float(np.max(np.abs(value), initial=0)), 1e-30))
    return worst


def main():
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
