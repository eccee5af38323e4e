import json
import os
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest

from migrate.run import run as codemod
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run, old_python

PROGRAMS = [Path(__file__).parent / name for name in ("estimators.py", "estimators_2.py")]


class Continued:
    """What each estimator, and each model_fn that it became, comes to after 50 more steps from one checkpoint.

    Attributes:
      old: the Estimators' directory.
      new: the migrated programs'.
    """

    def __init__(self, program, folder):
        kept = kept_run(program.stem, [program], lambda directory: _run_estimators(program, directory))
        self.program, self.old, self.new = program, kept / "at_60", folder / "new"
        migrated = Path(shutil.copy(program, folder))  # out of this package, by whose name it would import
        for change in codemod([str(migrated)], Settings(canned="model-fn"), jobs=1, progress=None).changes:
            Path(change.path).write_text(change.after)
        shutil.copytree(kept / "at_10", self.new)
        _start(sys.executable, migrated, self.new, 60)

    def results(self, name):
        """What the estimator evaluated and predicted at the end, and what its model_fn did."""
        return tuple(json.loads((one / "results.json").read_text())[name] for one in (self.old, self.new))


def _start(python, *command):
    settings = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
    done = nursery.run([python, *map(str, command)], settings)
    assert done.returncode == 0, done.stderr[-3000:]


TRAIN_ONLY = """
import runpy, sys, tensorflow as tf
estimator = tf.compat.v1.estimator.Estimator
estimator.evaluate, estimator.predict = lambda *_: {}, lambda *_: iter([{}])
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def _run_estimators(program, directory):
    """Train all to step 10, and in a copy of that on to 60."""
    (directory / "at_10").mkdir()
    _start(old_python(), "-c", TRAIN_ONLY, program, directory / "at_10", 10)
    shutil.copytree(directory / "at_10", directory / "at_60")
    _start(old_python(), program, directory / "at_60", 60)


@pytest.fixture(scope="session")
def continued(tmp_path_factory):
    """A function that gives a program's ``Continued``; each is made once."""
    return cache(lambda program: Continued(program, tmp_path_factory.mktemp("canned")))
