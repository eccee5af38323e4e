"""Where the programs under test run: MIGRATE_OLD_PYTHON has TensorFlow 2.15, MIGRATE_NEW_PYTHON the newest."""

import csv
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from migrate.verify import Program
from tests import nursery
from tests.pairs import write_all
from tests.runtime_package import build

PROGRAMS = Path(__file__).parent / "programs"
RELATIONSHIPS = ["wife", "husband", "child"]


@pytest.fixture(scope="session")
def old_python():
    return os.environ.get("MIGRATE_OLD_PYTHON", sys.executable)


@pytest.fixture(scope="session")
def new_python():
    return os.environ.get("MIGRATE_NEW_PYTHON", sys.executable)


@pytest.fixture(scope="session")
def legacy_keras(new_python):
    """The environment for Keras 2: TensorFlow 2.15 has no other, and no tf_keras."""
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tf_keras') is None)"
    has_tf_keras = subprocess.run([new_python, "-c", look]).returncode == 0
    return {"TF_USE_LEGACY_KERAS": "1"} if has_tf_keras else {}


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The directory in which the runtime package is found, as its wheel holds it."""
    folder = tmp_path_factory.mktemp("package")
    zipfile.ZipFile(build(folder)).extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture(scope="session")
def packaged(tmp_path_factory):
    """The migrated examples as in ``tf2_examples/``, but with their helpers in the runtime package."""
    folder = tmp_path_factory.mktemp("packaged")
    write_all(folder, helpers="package")
    assert not list(folder.rglob("tf2_recovery"))
    return folder


@pytest.fixture(scope="session")
def program(new_python):
    """Make a program out of ``programs/``, under the new interpreter unless another is given."""

    def make(name, *args, python=new_python, **env):
        return Program(
            PROGRAMS / f"{name}.py", python, ("--model_dir", "{model_dir}", *args), env, launch=nursery.launch
        )

    return make


@pytest.fixture(scope="session")
def census(tmp_path_factory):
    """A directory with a small census."""
    folder, random = tmp_path_factory.mktemp("census"), np.random.RandomState(0)
    (folder / "relationship.txt").write_text("\n".join(RELATIONSHIPS))
    with open(folder / "census.csv", "w", newline="") as file:
        rows = csv.writer(file)
        numbers, words = ["age", "education_num", "hours_per_week"], ["workclass", "occupation", "relationship"]
        rows.writerow([*numbers, *words, "region", "income"])
        for _ in range(320):
            age, education, hours = random.randint(17, 80), random.randint(1, 16), random.randint(10, 60)
            words = [random.choice(words) for words in (["private", "state", "none"], list("abcdefg"), RELATIONSHIPS)]
            income = ">50K" if age + 3 * education + hours + random.randint(0, 40) > 130 else "<=50K"
            rows.writerow([age, education, hours, *words, random.randint(0, 5), income])
    return folder
