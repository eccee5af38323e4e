"""What three workers of a model_fn add up, start with and refuse."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import nursery
from tests.interruption.workers.cluster import task_variables
from tests.pairs import ROOT

PROGRAM = Path(__file__).parent / "programs" / "three_workers.py"


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each of three workers printed, the chief first; each compares its variables with those it should have."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    variables.pop("TF_USE_LEGACY_KERAS", None)
    command = [sys.executable, str(PROGRAM), str(tmp_path_factory.mktemp("three") / "model")]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": ROOT}
    told = task_variables(3, has_chief=True)
    started = [nursery.launch(command, {**variables, "TF_CONFIG": each}, **streams) for each in told]
    outputs = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], outputs
    return [output.splitlines() for output, _ in outputs]


def test_each_worker_draws_a_part_of_its_own(printed):
    assert [lines[0] for lines in printed] == [f"draws as {number} of 3" for number in range(3)]


def test_all_begin_with_the_chiefs_first_values_of_every_type(printed):
    assert len({lines[1] for lines in printed}) == 1
    assert printed[0][1].startswith("begins with ")


def test_rows_of_a_table_are_added_up_where_each_worker_looks_up_others(printed):
    assert len({lines[2] for lines in printed}) == 1
    assert printed[0][2].startswith("ends with ")


def test_workers_that_see_different_directories_are_refused(printed):
    assert {lines[3] for lines in printed} == {"The workers would resume at different steps, [1, -1, 1]"}


def test_a_worker_that_steps_alone_fails_when_its_time_is_over(printed):
    assert printed[0][4].startswith("waits for the others DeadlineExceededError")
