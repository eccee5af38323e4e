import os
from pathlib import Path

import pytest

from tests import nursery
from tests.kept_runs import IS_NEWEST

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[3]
ON_THE_NEWEST = ["test_contrib_golden.py", "test_heads.py", "test_names_keep_their_meaning.py"]
collect_ignore = ["test_layouts.py"] if IS_NEWEST else ON_THE_NEWEST
"""What is the same code on both lines, and shown on one: imports on that of 2.15, numbers on the newest."""


def run(python, program, *arguments):
    """Runs one of the programs in a process of its own; returns what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("TF_USE_LEGACY_KERAS", None)
    done = nursery.run([python, PROGRAMS / program, *map(str, arguments)], environment)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="session")
def old_python():
    return os.environ["MIGRATE_OLD_PYTHON"]
