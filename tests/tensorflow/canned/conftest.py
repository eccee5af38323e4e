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

HERE = Path(__file__).parent
PROGRAMS = [HERE / name for name in ("estimators.py", "estimators_2.py")]
IN_KERAS = {
    HERE / "estimators.py": (
        "dnn_default", "dnn_adam", "dnn_sgd", "dnn_named", "linear_default", "linear_adam", "linear_values",
        "combined_default", "combined_adam", "baseline_classes",
    ),
    HERE / "estimators_2.py": (
        "dnn_default", "dnn_adam", "dnn_rmsprop", "linear_default", "linear_sgd", "combined_default",
    ),
}  # fmt: skip
"""The estimators that become Keras models."""


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


class InKeras:
    """What the Keras models come to that some of the estimators became, from the same checkpoints.

    Attributes:
      old: the Estimators' directory.
      new: the Keras models'; NAME/back in it holds what they give back.
    """

    def __init__(self, continued, folder):
        self.program, self.old, self.new = continued.program, continued.old, folder / "new"
        self.new.mkdir()
        migrated = Path(shutil.copy(self.program, folder))
        for change in codemod([str(migrated)], Settings(), jobs=1, progress=None).changes:
            Path(change.path).write_text(change.after)
        _start(sys.executable, HERE / "go_on_in_keras.py", migrated, self.old, self.new, *IN_KERAS[self.program])

    def results(self, name):
        """What the estimator evaluated and predicted at the end, and what the Keras model did."""
        return tuple(json.loads((one / "results.json").read_text())[name] for one in (self.old, self.new))


def _start(python, *command):
    settings = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
    settings["PYTHONPATH"] = str(HERE.parents[2])
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


@pytest.fixture(scope="session")
def in_keras(continued, tmp_path_factory):
    """A function that gives a program's ``InKeras``; each is made once, of the same runs of the Estimators."""
    return cache(lambda program: InKeras(continued(program), tmp_path_factory.mktemp("in_keras")))
