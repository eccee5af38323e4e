import json
import os
from pathlib import Path

import pytest

from tests import nursery
from tests.kept_runs import IS_NEWEST, kept_run

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[3]
ON_THE_NEWEST = ["test_contrib_golden.py", "test_heads.py", "test_names_keep_their_meaning.py"]
collect_ignore = ["test_layouts.py"] if IS_NEWEST else ON_THE_NEWEST
"""What is the same code on both lines, and shown on one: imports on that of 2.15, numbers on the newest."""


def run(python, program, *arguments, legacy_keras=False, check=True):
    """Runs one of the programs in a process of its own; returns what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("TF_USE_LEGACY_KERAS", None)
    if legacy_keras and python != os.environ["MIGRATE_OLD_PYTHON"]:
        environment["TF_USE_LEGACY_KERAS"] = "1"
    done = nursery.run([python, PROGRAMS / program, *map(str, arguments)], environment)
    assert not check or done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="session")
def old_python():
    return os.environ["MIGRATE_OLD_PYTHON"]


@pytest.fixture(scope="session")
def new_python():
    return os.environ["MIGRATE_NEW_PYTHON"]


@pytest.fixture(scope="session")
def estimators(old_python):
    """A directory with each model's Estimator, stopped at step 10, and its losses from there to step 70."""
    programs = [PROGRAMS / "with_estimator.py", PROGRAMS / "models.py"]
    directory = kept_run("model_fn", programs, lambda directory: run(old_python, programs[0].name, directory))
    return directory, json.loads((directory / "estimator.json").read_text())
