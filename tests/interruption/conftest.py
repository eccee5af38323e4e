"""Where the programs under test run: MIGRATE_OLD_PYTHON has TensorFlow 2.15, MIGRATE_NEW_PYTHON the newest."""

import os
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest

from migrate.verify import Program
from tests import nursery
from tests.pairs import write_all
from tests.program_arguments import census as census_in
from tests.runtime_package import build

PROGRAMS = Path(__file__).parent / "programs"


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
    """The migrated examples as in ``tf2_examples/``, but with the runtime package installed."""
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


@pytest.fixture
def forks(old_python, new_python, monkeypatch):
    """Has the command ``verify`` start programs by forks of processes that have imported TensorFlow."""
    for python in (old_python, new_python):
        for recording in (True, False):
            nursery.nursery(python, False, recording)  # here, as one that a thread of the command's makes ends with it
    monkeypatch.setattr("migrate.verify.cli.Program", partial(Program, launch=nursery.launch))


@pytest.fixture(scope="session")
def census(tmp_path_factory):
    """A directory with a small census."""
    return census_in(tmp_path_factory.mktemp("census"))
