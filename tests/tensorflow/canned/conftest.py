import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from migrate.run import run as codemod
from migrate.settings import Settings

PROGRAMS = [Path(__file__).parent / name for name in ("estimators.py", "estimators_2.py")]


class Continued:
    """What each estimator, and each model_fn that it became, comes to after 50 more steps from one checkpoint.

    Attributes:
      old: the Estimators' directory.
      new: the migrated programs'.
    """

    def __init__(self, program, folder):
        self.program, self.old, self.new = program, folder / "old", folder / "new"
        migrated = Path(shutil.copy(program, folder))  # out of this package, by whose name it would import
        for change in codemod([str(migrated)], Settings(canned="model-fn"), jobs=1, progress=None).changes:
            Path(change.path).write_text(change.after)
        old = os.environ.get("MIGRATE_OLD_PYTHON", sys.executable)
        self.old.mkdir()
        _start(old, program, self.old, 10)
        shutil.copytree(self.old, self.new)
        _start(old, program, self.old, 60)
        _start(sys.executable, migrated, self.new, 60)

    def results(self, name):
        """What the estimator evaluated and predicted at the end, and what its model_fn did."""
        return tuple(json.loads((one / "results.json").read_text())[name] for one in (self.old, self.new))


def _start(python, program, directory, steps):
    settings = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
    done = subprocess.run([python, program, directory, str(steps)], env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="session")
def continued(tmp_path_factory):
    """A function that gives a program's ``Continued``; each is made once."""
    return cache(lambda program: Continued(program, tmp_path_factory.mktemp("canned")))
