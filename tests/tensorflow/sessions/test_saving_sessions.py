"""What FT301 says of a session that saves: TensorFlow 2 runs it under compat.v1, and it resumes at its last save."""

import os
from pathlib import Path

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests import nursery

PROGRAM = Path(__file__).with_name("saving_session.py")


def test_each_kind_of_saving_session_is_found_and_said_to_run_still():
    outcome = run([str(PROGRAM)], Settings(), jobs=1, progress=None)
    found = [(finding.code, finding.symbol.rpartition(".")[2]) for finding in outcome.findings]
    assert found == [("FT301", "Saver"), ("FT301", "MonitoredTrainingSession"), ("FT301", "Supervisor")]
    assert all("TensorFlow 2 still runs it" in finding.help for finding in outcome.findings)


@pytest.mark.parametrize("kind", ["Saver", "MonitoredTrainingSession", "Supervisor"])
def test_it_resumes_at_its_last_save(kind, tmp_path):
    tmp_path.joinpath("job").mkdir()

    def started(fails_at):
        command = [os.environ["MIGRATE_NEW_PYTHON"], PROGRAM, kind, tmp_path / "job", 20, fails_at]
        done = nursery.run([str(part) for part in command], {**os.environ, "PYTHONPATH": ""})
        return done.returncode, done.stdout.splitlines()

    assert started(12) == (9, ["from 0"])
    assert started(0) == (0, ["from 10", "to 20"])
