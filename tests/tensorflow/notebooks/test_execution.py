"""Migrated notebooks run, and their jobs end where the Estimator's would have ended."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import nursery
from tests.notebooks import shape

RUN = Path(__file__).with_name("run_notebook.py")


@pytest.fixture
def executed(tmp_path, monkeypatch):
    """Migrates a copy of one of our notebooks, runs its cells, and returns the lines that they printed."""
    monkeypatch.chdir(tmp_path)

    def execute(name):
        path = tmp_path / name
        path.write_bytes(shape(name))
        root = str(Path(__file__).parents[3])
        migrate = (
            "import sys; sys.path.insert(0, sys.argv[1]); "
            "from migrate.cli.main import main; sys.exit(main(sys.argv[2:]))"
        )
        assert subprocess.run([sys.executable, "-c", migrate, root, name, "--write"], check=False).returncode == 1
        return run(RUN, name)

    return execute


def run(*arguments):
    done = nursery.run([sys.executable, *map(str, arguments)], os.environ.copy())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_a_job_that_a_cell_interrupts_is_ended_by_a_later_cell(executed):
    lines = executed("fault_tolerance.ipynb")
    assert "RuntimeError:Interruption" in lines
    before = next(line for line in lines if line.startswith("interrupted after"))
    after = next(line for line in lines if line.startswith("ended at"))
    assert 0 < int(before.rpartition("-")[2]) < 10
    assert int(after.rpartition("-")[2]) == 10


def test_a_model_fn_over_several_cells_trains_on_all_of_its_input(executed):
    (ended,) = [line for line in executed("migrating_estimators.ipynb") if line.startswith("ended at")]
    assert int(ended.rpartition("-")[2]) == 3


def test_a_program_that_a_cell_writes_runs_from_its_file(executed, tmp_path):
    executed("multi_worker.ipynb")
    assert run("main.py", "job")[-1].endswith("-10")
    assert {path.name for path in tmp_path.glob("*.py")} == {"main.py", "setup_data.py"}
