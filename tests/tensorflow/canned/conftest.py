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

from migrate.helpers.package import public
from migrate.pipeline.run import run as codemod
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run, made_once, old_python
from tests.runtime_package import copy

HERE = Path(__file__).parent
RUN_ESTIMATORS = HERE / "run_estimators.py"
PROGRAMS = [HERE / name for name in ("estimators.py", "estimators_2.py", "estimators_handed_on.py")]
JOBS = HERE / "jobs.py"
IN_KERAS = HERE / "estimators_keras.py"
"""The estimators that become Keras models."""


def parts_of(program):
    """The text of each estimator of a program, by its name."""
    functions = re.split(r"^def ", program.read_text(), flags=re.MULTILINE)
    return {one.partition("(")[0]: one for one in functions if "(model_dir, steps)" in one.splitlines()[0]}


class Continued:
    """What each estimator, and what it became, comes to after 50 more steps from one checkpoint.

    Args:
      program: the Estimators' program.
      folder: a new directory for the rest; if another process has made it, nothing runs again.
      python: the interpreter of the migrated program.

    Attributes:
      old: the Estimators' directory.
      new: the migrated programs'.
    """

    def __init__(self, program, folder, python=sys.executable):
        self.program = program
        self.old = kept_run(program.stem, [program, JOBS, RUN_ESTIMATORS], lambda directory: _train(program, directory))
        self.new = folder / "new"
        made_once(folder, lambda folder: self._go_on(folder, python))

    def results(self, name):
        """What the estimator evaluated and predicted at the end, and what it became."""
        return self._told("results", name)

    def losses(self, name):
        """The losses of the last 50 steps of both."""
        old, new = self._told("losses", name)
        return np.array(old[-50:]), np.array(new)

    def _told(self, what, name):
        return tuple(json.loads((one / f"{what}.json").read_text())[name] for one in (self.old, self.new))


class AsObject(Continued):
    """Canned estimators that become the objects of the same names, which take the same directories over."""

    def _go_on(self, folder, python):
        self.new.mkdir()
        for old in (path for path in self.old.iterdir() if path.is_dir()):
            new = self.new / old.name
            new.mkdir()
            for path in old.glob("model.ckpt-10.*"):
                shutil.copy(path, new)
            (new / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-10"\n')
        _start(python, HERE / "go_on_as_object.py", self._program(folder), self.new)

    def _program(self, folder):
        named = {*re.findall(r"\w+", self.program.read_text()), "CannedKerasOptimizer"}
        names = [name for name in public() if name in named or name.removesuffix("V2") in named]
        copy(folder, names)
        (folder / "objects.py").write_text(_NAMESPACES)
        text = self.program.read_text().replace("tf.compat.v1.estimator", "tf1.estimator")
        text = text.replace("tf1.estimator", "objects.v1").replace("tf.estimator", "objects.v2")
        if not tf.__version__.startswith("2.15"):  # its Keras has no legacy optimizers, and none decays
            text = re.sub(r"tf\.keras\.optimizers\.legacy\.(\w+)\((.*decay=)", r'objects.Canned("\1", \2', text)
            text = text.replace("optimizers.legacy.", "optimizers.")
        program = folder / self.program.name
        program.write_text(text.replace("import tensorflow", "import objects\nimport tensorflow", 1))
        shutil.copy(JOBS, folder)
        return program


_NAMESPACES = """
import importlib
import pkgutil
from types import SimpleNamespace

import tf2_recovery

files = [importlib.import_module(f"tf2_recovery.{one.name}") for one in pkgutil.iter_modules(tf2_recovery.__path__)]
known = {name: one for file in files for name, one in vars(file).items() if not name.startswith("__")}
Canned = known["CannedKerasOptimizer"]
v1 = SimpleNamespace(**known, export=SimpleNamespace(**known))
v2 = SimpleNamespace(
    **{**vars(v1), **{name.removesuffix("V2"): one for name, one in known.items() if name.endswith("V2")}}
)
"""


class InKeras(Continued):
    """Those that become Keras models, from converted checkpoints; new/NAME/back holds what they give back."""

    def _go_on(self, folder, python):
        self.new.mkdir()
        migrated = Path(shutil.copy(self.program, folder))  # out of this package, by whose name it would import
        shutil.copy(JOBS, folder)
        for change in codemod([str(migrated)], Settings(canned="keras"), jobs=1, progress=None).changes:
            Path(change.path).parent.mkdir(exist_ok=True)
            Path(change.path).write_text(change.after)
        _start(python, HERE / "go_on_in_keras.py", migrated, self.old, self.new, *parts_of(self.program))


def _train(program, directory):
    _start(old_python(), RUN_ESTIMATORS, program, directory)


def _start(python, *command):
    settings = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
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


@pytest.fixture(scope="session")
def in_keras(of_this_run):
    """The ``InKeras`` of the program whose estimators become Keras models."""
    return InKeras(IN_KERAS, of_this_run / "in_keras")
