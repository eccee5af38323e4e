import ast
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from migrate.pipeline.run import run, write
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run
from tests.pairs import LEGACY, ROOT, TF2
from tests.program_arguments import digits as digits_of
from tests.runtime_package import copy


class Pair:
    """A legacy program and its migration, with the runtime files that it imports.

    Args:
      name: the programs' path below the examples, without ending.
      folder: a new directory to put both in.
      replace: text to replace in both.
      arguments: of both programs, besides the model_dir.
      in_order: whether the old program runs one operation at a time, so that none overtakes another.
      packaged: the folder of the migrations that import the installed runtime package, and where that is found.
    """

    def __init__(self, name, folder, replace=(), arguments=(), in_order=False, packaged=None):
        self._keep(name, folder, arguments, in_order)
        forms = [(LEGACY, self.old), (TF2, self.new)]
        if packaged:
            forms += [(packaged[0], self.packaged)]
            self.installed = packaged[1]
        for source, program in forms:
            program.parent.mkdir(parents=True)
            shutil.copy(source / "modeling.py", program.parent)
            text = (source / f"{name}.py").read_text()
            for before, after in replace:
                assert before in text
                text = text.replace(before, after)
            program.write_text(text)
        imports = (node for node in ast.parse(self.new.read_text()).body if isinstance(node, ast.ImportFrom))
        ours = (node for node in imports if (node.module or "").startswith("tf2_recovery."))
        copy(folder / "new", [alias.name for node in ours for alias in node.names])

    installed = ""
    """Where the runtime package is found."""

    def _keep(self, name, folder, arguments, in_order=False):
        self.old_python, self.new_python = os.environ["MIGRATE_OLD_PYTHON"], os.environ["MIGRATE_NEW_PYTHON"]
        self.arguments, self.folder, self.in_order = list(arguments), folder, in_order
        sides = "old", "new", "packaged"
        self.old, self.new, self.packaged = (folder / side / f"{Path(name).name}.py" for side in sides)

    def start(self, program, model_dir, *arguments):
        python = self.old_python if program is self.old else self.new_python
        # The pieces stand alone: no path leads to this package.
        path = self.installed if program is self.packaged else ""
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(path)}
        environment.pop("TF_USE_LEGACY_KERAS", None)
        if program is self.old and self.in_order:
            environment["TF_NUM_INTEROP_THREADS"] = "1"
        if python != self.old_python:
            environment["TF_USE_LEGACY_KERAS"] = "1"
        command = [python, str(program), "--model_dir", str(model_dir), *self.arguments, *map(str, arguments)]
        log = open(self.folder / "log", "w+")  # noqa: SIM115
        return nursery.launch(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, cwd=self.folder)

    def run(self, program, model_dir, *arguments):
        """Runs a program to its end; returns the lines that it printed."""
        process = self.start(program, model_dir, *arguments)
        output, _ = process.communicate()
        assert process.returncode == 0, (self.folder / "log").read_text()[-3000:]
        return output.splitlines()

    def kept(self, name, *starts):
        """A directory with what the old program alone left and printed; no new TensorFlow changes that.

        Args:
          name: of the run.
          starts: of each, the name of what it leaves in the directory, and its arguments; it goes on in a copy of what
            the one before left. What they printed is in ``printed.json``, by those names.
        """

        def make(directory):
            printed, before = {}, None
            for left, *arguments in starts:
                if before:
                    shutil.copytree(before, directory / left)
                printed[left] = self.run(self.old, directory / left, *arguments)
                before = directory / left
            (directory / "printed.json").write_text(json.dumps(printed))

        told = " ".join(str(each).rpartition("/")[2] for start in [self.arguments, *starts] for each in start)
        return kept_run(f"{self.old.stem}-{name}", [*sorted(self.old.parent.glob("*.py")), __file__], make, told)

    def kill(self, program, model_dir, *arguments, within=0.4):
        """Kills a program at a random moment after it has saved; returns whether it was still running."""
        before = set(indices(model_dir))
        process = self.start(program, model_dir, *arguments)
        while process.poll() is None and set(indices(model_dir)) <= before:
            time.sleep(0.01)
        time.sleep(random.random() * within)
        running = process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == (-signal.SIGKILL if running else 0), (self.folder / "log").read_text()[-3000:]
        return running


class WrittenPair(Pair):
    """A legacy program of the tests, and what the codemod writes for it when the test runs.

    Args:
      source: the program.
      folder: a new directory to put both in.
      others: the file names of its other files, which stand beside it.
      installed: where the runtime package is found, for a migration that imports it.
      settings: of the codemod.
    """

    def __init__(self, source, folder, others=(), installed="", **settings):
        self._keep(source.stem, folder, ())
        self.installed = installed
        forms = {self.new: "copy", **({self.packaged: "package"} if installed else {})}
        for program in (self.old, *forms):
            program.parent.mkdir(parents=True)
            for name in (source.name, *others):
                shutil.copy(source.with_name(name), program.with_name(name))
        for program, helpers in forms.items():
            chosen = Settings(**settings, helpers=helpers)
            assert write(run([str(program.parent)], chosen, jobs=1, progress=None)) == []
            assert "from tf2_recovery." in program.read_text()
            assert (program.parent / "tf2_recovery").exists() == (helpers == "copy")


COUNTING = """\
import os, resource, signal, sys, time
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.run_config import RunConfig


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", [100_000], initializer=tf1.zeros_initializer())
    step = tf1.train.get_or_create_global_step()
    train_op = tf1.group(tf1.assign_add(weights, tf.ones([100_000])), tf1.assign_add(step, 1))
    return EstimatorSpec(mode, loss=weights[0] + tf.reduce_sum(features), train_op=train_op)


data = lambda: tf.data.Dataset.from_tensors([1.0]).repeat()
"""
"""A model that counts its steps, which a program of a test's own trains."""


def started(folder, text, *arguments):
    """A start of such a program, given its directory ``model`` first; its output is read by the test."""
    program = folder / "job.py"
    program.write_text(COUNTING + text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    command = [sys.executable, str(program), str(folder / "model"), *map(str, arguments)]
    return nursery.launch(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def losses(model_dir):
    """The losses that a program wrote for TensorBoard, by step."""
    found = {}
    for path in sorted(Path(model_dir).glob("events.*")):
        with contextlib.suppress(tf.errors.DataLossError):  # a kill cuts the last record, as TensorBoard expects
            for event in tf.compat.v1.train.summary_iterator(str(path)):
                found.update((event.step, value.simple_value) for value in event.summary.value if value.tag == "loss")
    return found


def indices(model_dir):
    return [path.name for path in Path(model_dir).glob("*.index")]


def kept(model_dir):
    """The steps of the checkpoints on a directory's list, the oldest first."""
    state = tf.train.get_checkpoint_state(str(model_dir))
    return [int(path.rsplit("-", 1)[1]) for path in state.all_model_checkpoint_paths]


def final_variables(model_dir):
    """The latest checkpoint's variables, without an iterator, which no reader returns."""
    reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(str(model_dir)))
    kinds = reader.get_variable_to_dtype_map()
    return {key: reader.get_tensor(key) for key, kind in kinds.items() if kind != tf.variant}


def assert_equal(found, expected, rtol=0.0):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=rtol, atol=rtol, err_msg=name)


@pytest.fixture(scope="session")
def digits(tmp_path_factory):
    """A function that makes a file in MNIST's layout, of as many random images."""
    folder = tmp_path_factory.mktemp("digits")
    return lambda count: digits_of(folder, count)
