"""Where the programs under test run: MIGRATE_OLD_PYTHON has TensorFlow 2.15, MIGRATE_NEW_PYTHON the newest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.verify import Program
from tests import nursery

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
def program(new_python):
    """Make a program out of ``programs/``, under the new interpreter unless another is given."""

    def make(name, *args, python=new_python, **env):
        return Program(
            PROGRAMS / f"{name}.py", python, ("--model_dir", "{model_dir}", *args), env, launch=nursery.launch
        )

    return make
