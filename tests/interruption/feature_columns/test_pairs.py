"""Migrated programs with feature columns go on in their Estimator's directory."""

import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest
import tensorflow as tf

from tests import nursery
from tests.interruption.model_fn.conftest import final_variables, kept
from tests.kept_runs import kept_run
from tests.pairs import LEGACY, ROOT, TF2

# Two classes go through tf.sigmoid, which differs by a bit between TensorFlow 2.15 and the newest; so do the kernels
# of Ftrl, by 2e-7 of a slot. Within 2.15 all are equal.
PAIRS = {"wide_and_deep": 1e-5, "linear_ftrl": 1e-6, "warm_start": 0.0}
NUMBER = re.compile(r"\d+\.\d*(?:e[+-]\d+)?")


class Job:
    """One pair's programs and the directories that they worked in."""

    def __init__(self, name, folder, census):
        self.name, self.folder = name, folder
        self.arguments = ["--data", str(census)] if name == "wide_and_deep" else []

    def start(self, interpreter, *command):
        paths = os.pathsep.join(map(str, (ROOT, TF2)))  # the examples of all folders have their runtime files once
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": paths}
        environment.pop("TF_USE_LEGACY_KERAS", None)  # feature columns need no tf_keras
        command = [os.environ[interpreter], *map(str, command)]
        return nursery.launch(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder
        )

    def run(self, side, directory, steps):
        process = self.start(*self.command(side, directory, steps))
        output, errors = process.communicate()
        assert process.returncode == 0, errors[-3000:]
        return output.splitlines()

    def command(self, side, directory, steps):
        interpreter, folder = {"old": ("MIGRATE_OLD_PYTHON", LEGACY), "new": ("MIGRATE_NEW_PYTHON", TF2)}[side]
        program = folder / "feature_columns" / f"{self.name}.py"
        return interpreter, program, "--model_dir", self.folder / directory, "--max_steps", steps, *self.arguments

    def run_alone(self, directory):
        """The Estimator's directories as they are at two steps."""
        before, printed = None, {}
        for steps in (20, 70):
            place = directory / f"at_{steps}"
            if before:
                shutil.copytree(before, place)
            printed[steps], before = self.run("old", place, steps), place
        (directory / "printed.json").write_text(json.dumps(printed))


@pytest.fixture(scope="module", params=list(PAIRS))
def job(request, tmp_path_factory, census):
    """The Estimator to 20 and 70, and the migrated program from a copy of its directory at 20 to 70."""
    job = Job(request.param, tmp_path_factory.mktemp(request.param), census)
    program = job.command("old", "", 0)[1]
    job.alone = kept_run(job.name, [program, __file__], job.run_alone)
    shutil.copytree(job.alone / "at_20", job.folder / "new")
    job.printed = job.run("new", "new", 70)
    return job


def tolerance(job):
    return 0.0 if tf.__version__.startswith("2.15") else PAIRS[job.name]


def assert_same(found, expected, rtol):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=rtol, atol=rtol, err_msg=name)


def test_fifty_steps_on_every_variable_and_slot_is_that_of_the_estimator(job):
    assert_same(final_variables(job.folder / "new"), final_variables(job.alone / "at_70"), tolerance(job))


def test_the_same_is_printed(job):
    old, new = json.loads((job.alone / "printed.json").read_text())["70"], job.printed
    if tolerance(job) == 0.0:
        assert new == old
    old, new = "\n".join(old), "\n".join(new)
    assert NUMBER.sub("", new).split() == NUMBER.sub("", old).split()
    found, expected = ([float(number) for number in NUMBER.findall(text)] for text in (new, old))
    np.testing.assert_allclose(found, expected, rtol=tolerance(job), atol=tolerance(job))


def test_the_same_checkpoints_are_kept(job):
    assert kept(job.folder / "new") == kept(job.alone / "at_70")
