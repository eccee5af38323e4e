import json
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from migrate.pipeline.run import run as codemod
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import IS_NEWEST, kept_run, made_once, old_python

HERE = Path(__file__).parent
RUN_ESTIMATORS = HERE / "run_estimators.py"
NAMES = ("estimators.py", "estimators_2.py", "estimators_handed_on.py")
PROGRAMS = [HERE / name for name in NAMES]
GOING_BACK = PROGRAMS if IS_NEWEST else PROGRAMS[-1:]
"""Those that go on from what the objects save; both lines of TensorFlow save it alike."""

JOBS = HERE / "jobs.py"


def parts_of(program):
    """The text of each estimator of a program, by its name."""
    functions = re.split(r"^def ", program.read_text(), flags=re.MULTILINE)
    return {one.partition("(")[0]: one for one in functions if "(model_dir, steps)" in one.splitlines()[0]}


class AsObject:
    """What each estimator, and the object that it became, comes to after 50 more steps from one checkpoint.

    The objects take copies of the Estimators' directories over, and the Estimators those that the objects leave.

    Args:
      program: the Estimators' program.
      folder: a new directory for the rest; if another process has made it, nothing runs again.

    Attributes:
      old: the Estimators' directory, where they trained for 10 steps more.
      new: the migrated programs'.
      back: where the Estimators went on from the last checkpoints of those of ``GOING_BACK``, for 10 steps.
    """

    def __init__(self, program, folder):
        self.program = program
        self.old = kept_run(program.stem, [program, JOBS, RUN_ESTIMATORS], lambda directory: _train(program, directory))
        self.new, self.back = folder / "new", folder / "back"
        made_once(folder, self._go_on)

    def results(self, name):
        """What the estimator evaluated and predicted at the end, and what it became."""
        return self._told("results", name)

    def losses(self, name):
        """The losses of both from step 11 to step 60."""
        old, new = self._told("losses", name)
        return np.array(old[10:60]), np.array(new)

    def _told(self, what, name):
        return tuple(json.loads((one / f"{what}.json").read_text())[name] for one in (self.old, self.new))

    def _go_on(self, folder):
        _take_over(self.old, self.new, 10)
        program = folder / self.program.name
        shutil.copy(self.program, program)
        shutil.copy(JOBS, folder)
        outcome = codemod([str(program)], Settings(), jobs=1, progress=None)
        assert all(finding.rewritten for finding in outcome.findings), outcome.findings
        for change in outcome.changes:
            Path(change.path).parent.mkdir(exist_ok=True)
            Path(change.path).write_text(change.after)
        _start(sys.executable, HERE / "go_on_as_object.py", program, self.new, environment=_needed_by(self.program))
        if self.program in GOING_BACK:
            _take_over(self.new, self.back, 60)
            _start(old_python(), RUN_ESTIMATORS, self.program, self.back, "further")


def _take_over(old, new, step):
    """Copies one checkpoint of each estimator into a directory of its own."""
    new.mkdir(exist_ok=True)
    for job in (path for path in old.iterdir() if path.is_dir()):
        (new / job.name).mkdir()
        for path in job.glob(f"model.ckpt-{step}.*"):
            shutil.copy(path, new / job.name)
        (new / job.name / "checkpoint").write_text(f'model_checkpoint_path: "model.ckpt-{step}"\n')


def _train(program, directory):
    _start(old_python(), RUN_ESTIMATORS, program, directory)


def _needed_by(program):
    """The variables that a program needs on this TensorFlow: Keras 3 has none of the legacy optimizers."""
    is_legacy = "optimizers.legacy" in program.read_text() and not tf.__version__.startswith("2.15")
    return {"TF_USE_LEGACY_KERAS": "1"} if is_legacy else {}


def _start(python, *command, environment=None):
    settings = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"} | (environment or {})
    settings["PYTHONPATH"] = str(HERE.parents[2])
    done = nursery.run([python, *map(str, command)], settings)
    assert done.returncode == 0, done.stderr[-3000:]


def difference(found, expected):
    """The largest relative difference of two arrays' elements."""
    scale = np.maximum(np.abs(expected), np.finfo(np.float32).tiny)
    return float(np.max(np.abs(found - expected) / scale, initial=0))


@pytest.fixture(scope="session")
def of_this_run(tmp_path_factory):
    """The directory of this run of the tests, which all its processes share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def as_object(of_this_run):
    """A function that gives a program's ``AsObject``; each is made once, of the same runs of the Estimators."""
    return cache(lambda program: AsObject(program, of_this_run / f"{program.stem}-as_object"))
