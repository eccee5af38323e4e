"""What a power cut can leave of a ``model_fn``'s save and the deletion after it, and where the job resumes from each.

usage: python -m tests.benchmarks.power_cuts [--most N]

The file-system calls of a save are recorded, of a job's second and third with three, two and one checkpoints kept, and
replayed up to each of them with every subset of what was not synced dropped, at most N subsets a call (65,536). The job
is started again from each directory that comes of it. Prints how many there are, and at which step how many resume: the
save's, or 4 before. See ``tests/power_cuts.py``.
"""

import argparse
import itertools
import tempfile
from collections import Counter
from pathlib import Path

import tensorflow as tf

from tests.interruption.model_fn.test_power_cut import Saved
from tests.power_cuts import states, unsynced


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, metavar="N", default=2**16)
    most = parser.parse_args().most
    tf.get_logger().setLevel("ERROR")
    for keep, step in itertools.product((3, 2, 1), (4, 8)):
        with tempfile.TemporaryDirectory() as folder:
            saved = Saved(Path(folder), keep, step)
            found = Counter(_resumed(saved, state) for state in states(saved.calls, saved.first, most))
            ends = range(saved.first, len(saved.calls) + 1)
            subsets = sum(min(most, 2 ** len(unsynced(saved.calls, end))) for end in ends)
        print(f"TensorFlow {tf.__version__}, max_to_keep={keep}, save at {step}: {len(ends)} moments,", end=" ")
        print(f"{subsets} subsets, {found.total()} directories; resumed at", dict(found))


def _resumed(saved, state):
    try:
        return saved.resumes_at(state)
    except (AssertionError, KeyError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__


if __name__ == "__main__":
    main()
