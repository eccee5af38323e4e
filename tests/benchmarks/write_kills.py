"""SIGKILL at random moments of ``--write`` over a tree: every file must be the old or the new one, whole.

usage: python -m tests.benchmarks.write_kills [--files N] [--kills K] [--seed S]

The tree is made anew for each kill. Printed are how many kills struck while files were being written, how many files
were found old and new, and how many were neither; the exit code is 1 if any was neither.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from migrate.outcome import Outcome
from migrate.run import run, write
from migrate.settings import Settings

PROGRAM = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def data():
    return tf.data.Dataset.from_tensor_slices(({{"x": [1.0]}}, [0])).batch(1)


estimator = tf1.estimator.DNNClassifier(
    [4], [tf1.feature_column.numeric_column("x")], model_dir="m{number}"
)
estimator.train(data, max_steps=3)
"""


def make(tree: Path, files: int) -> None:
    """Writes the old files."""
    for number in range(files):
        path = tree / f"d{number % 10}" / f"job_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PROGRAM.format(number=number), encoding="utf-8")


def contents(tree: Path) -> dict[str, bytes]:
    """Every Python file by its path below the tree."""
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*.py")}


def writing(outcome: Outcome, directory: str) -> int:
    """Starts a process that writes an outcome of relative paths in a directory; its id."""
    process = os.fork()
    if process == 0:
        os.chdir(directory)
        os._exit(len(write(outcome)))
    return process


def killed(outcome: Outcome, old: dict[str, bytes], new: dict[str, bytes], moment: float) -> tuple[int, int, int]:
    """Kills a write after so many seconds; how many files are then old, new and neither."""
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory) / "tree"
        shutil.copytree("tree", tree)
        process = writing(outcome, directory)
        time.sleep(moment)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        after = contents(tree)
    kept = sum(after.get(path) == data for path, data in old.items())
    changed = sum(after.get(path) == data != old.get(path) for path, data in new.items())
    lost = sum(path not in after for path in old)
    return kept, changed, len(after) + lost - kept - changed


def main(argv: list[str]) -> int:
    """Make the kills and print what they left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    chance = random.Random(options.seed)
    within = old_files = new_files = torn = 0
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        make(Path("tree"), options.files)
        old = contents(Path("tree"))
        outcome = run(["tree"], Settings(), jobs=1, progress=None)
        shutil.copytree("tree", "done/tree")
        begun = time.monotonic()
        assert os.waitpid(writing(outcome, "done"), 0)[1] == 0
        length = time.monotonic() - begun
        new = contents(Path("done/tree"))
        for _ in range(options.kills):
            kept, changed, neither = killed(outcome, old, new, chance.uniform(0, length))
            within += 0 < changed < len(new)
            old_files, new_files, torn = old_files + kept, new_files + changed, torn + neither
        os.chdir(here)
    print(f"{options.kills} kills over {options.files} files (a write takes {length:.2f} s); {within} struck within it")
    print(f"files found old: {old_files}, new: {new_files}, neither: {torn}")
    return 1 if torn else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
