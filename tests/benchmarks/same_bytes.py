"""``--write`` gives the same bytes with any number of processes, hash seed, order of paths, directory and Python.

usage: python -m tests.benchmarks.same_bytes FOLDER [PYTHON...]

A copy of the folder is migrated once for each way; each PYTHON is an interpreter with LibCST, black and rich in the
same versions. Printed is the digest of the tree after each; the exit code is 1 if they are not all equal.
"""

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUFFIXES = (".py", ".ipynb")


@dataclass(frozen=True)
class Way:
    """How the command is run.

    Attributes:
      name: what it is called.
      jobs: the number of processes.
      seed: of the hashes of text.
      order: the seed of the paths' order, all of the folder's entries; None for the order of their names.
      is_outside: whether it is run elsewhere, with absolute paths.
      python: the interpreter.
    """

    name: str
    jobs: int = 1
    seed: int = 0
    order: int | None = None
    is_outside: bool = False
    python: str = field(default=sys.executable)


def ways(pythons):
    """The first is what the others are compared with."""
    yield Way("-j1")
    yield Way("-j8", jobs=8)
    yield Way("another PYTHONHASHSEED", seed=12345)
    yield Way("another order of the paths", order=1)
    yield Way("another directory", is_outside=True)
    yield Way("all of these", 8, 54321, 2, True)
    for python in pythons:
        yield Way(python, 8, 99, python=python)


def migrated(folder, way):
    """The digest of a copy of the folder after ``--write``, and how many of its files changed or are new."""
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory, "tree")
        shutil.copytree(folder, tree, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        before = texts(tree)
        names = sorted(os.listdir(tree))
        if way.order is not None:
            random.Random(way.order).shuffle(names)
        paths = [str(tree / name) if way.is_outside else name for name in names]
        command = [way.python, "-m", "migrate", "--write", "-j", str(way.jobs), "--", *paths]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(way.seed)}
        cwd = directory if way.is_outside else tree
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1, 2), done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        after = texts(tree)
        digest = hashlib.sha256()
        for path, data in sorted(after.items()):
            digest.update(b"%s\0%d\0%s" % (os.fsencode(path), len(data), data))
        changed = sum(before.get(path) != data for path, data in after.items())
        return f"{digest.hexdigest()[:32]} {changed} files"


def texts(tree):
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.suffix in SUFFIXES}


def main(argv):
    """Run all ways and print what they give."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    options = parser.parse_args(argv)
    found = set()
    for way in ways(options.pythons):
        digest = migrated(options.folder, way)
        found.add(digest)
        print(f"{digest}  {way.name}", flush=True)
    return 0 if len(found) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
