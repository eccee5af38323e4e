"""Programs that look at the names of checkpoints, or of what is in them, print the same after their migration."""

import os
import shutil
from pathlib import Path

import pytest

from migrate.pipeline.run import run, write
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run

PROGRAMS = sorted(Path(__file__).parent.glob("names/*.py"))


def printed(python, program, directory):
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": ""}
    environment.pop("TF_USE_LEGACY_KERAS", None)
    if python != os.environ["MIGRATE_OLD_PYTHON"]:
        environment["TF_USE_LEGACY_KERAS"] = "1"
    done = nursery.run([python, program, str(directory)], environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_reader_of_names_finds_them(program, tmp_path):
    def old(directory):
        (directory / "printed").write_text(printed(os.environ["MIGRATE_OLD_PYTHON"], program, directory / "model"))

    expected = (kept_run(program.stem, [program], old) / "printed").read_text()
    shutil.copy(program, tmp_path)
    migrated = tmp_path / program.name
    assert write(run([str(migrated)], Settings(), jobs=1, progress=None)) == []
    assert "tf.estimator.Estimator" not in migrated.read_text()
    assert printed(os.environ["MIGRATE_NEW_PYTHON"], migrated, tmp_path / "model") == expected
