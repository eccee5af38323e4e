"""Where the programs under test run: MIGRATE_OLD_PYTHON has TensorFlow 2.15, MIGRATE_NEW_PYTHON the newest."""

import os
import sys
from pathlib import Path

import pytest

from migrate.verify import Program

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def old_python():
    return os.environ.get("MIGRATE_OLD_PYTHON", sys.executable)


@pytest.fixture(scope="session")
def new_python():
    return os.environ.get("MIGRATE_NEW_PYTHON", sys.executable)


@pytest.fixture(scope="session")
def program(new_python):
    """Make a program out of ``programs/``, under the new interpreter unless another is given."""

    def make(name, *args, python=new_python, **env):
        return Program(PROGRAMS / f"{name}.py", python, ("--model_dir", "{model_dir}", *args), env)

    return make
