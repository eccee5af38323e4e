"""What the tasks of a cluster add up, where their variables are, who saves and who evaluates: real processes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import nursery
from tests.interruption.workers.cluster import outputs_of, task_variables
from tests.pairs import ROOT

PROGRAMS = Path(__file__).parent / "programs"


def start(program, told, *arguments):
    """Starts a program as each task of a cluster."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    variables.pop("TF_USE_LEGACY_KERAS", None)
    command = [sys.executable, str(PROGRAMS / program), *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": ROOT}
    return [nursery.launch(command, {**variables, "TF_CONFIG": each}, **streams) for each in told]


def test_three_workers_add_up_their_gradients_and_only_the_chief_saves(tmp_path):
    started = start("three_workers.py", task_variables(3, has_chief=True), tmp_path / "model")
    outputs = outputs_of(started)
    assert [process.returncode for process in started] == [0, 0, 0], outputs
    printed = [output.splitlines() for output, _ in outputs]
    assert [lines[0] for lines in printed] == [f"draws as {number} of 3" for number in range(3)]
    assert [lines[1:] for lines in printed] == [["added up"], [], []]


TASKS = [("chief", 0), ("worker", 0), ("worker", 1), ("ps", 0), ("ps", 1), ("evaluator", 0)]


def cluster_of_servers():
    """TF_CONFIG for each of the tasks."""
    free = json.loads(task_variables(5)[0])["cluster"]["worker"]
    cluster = {"chief": free[:1], "worker": free[1:3], "ps": free[3:]}
    return [json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}}) for kind, index in TASKS]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A directory in which a cluster trained to step 60, and what its tasks but the servers printed."""
    directory = tmp_path_factory.mktemp("served") / "model"
    started = dict(zip(TASKS, start("parameter_servers.py", cluster_of_servers(), directory, 60), strict=True))
    servers = [started.pop(("ps", index)) for index in (0, 1)]
    try:
        outputs = dict(zip(started, outputs_of([*started.values()]), strict=True))
        assert [server.poll() for server in servers] == [None, None]  # they serve until they are ended
    finally:
        for server in servers:
            server.kill()
    assert {task: process.returncode for task, process in started.items()} == dict.fromkeys(started, 0), outputs
    return directory, {task: output for task, (output, _) in outputs.items()}


def test_variables_are_on_the_parameter_servers(served):
    (places,) = {line for text in served[1].values() for line in text.splitlines() if line.startswith("variables")}
    assert re.findall("/job:ps/task:[01]", places) == re.findall(r"/job:\w+/task:\d", places)


def test_chief_and_workers_take_the_steps_of_one_training(served):
    taken = [int(number) for text in served[1].values() for number in re.findall(r"took (\d+)", text)]
    assert len(taken) == 3
    # Each may be in a step before the last, and its hook, which reads beside the update, may let it take one more.
    assert 60 <= sum(taken) <= 59 + 2 * 3
    assert served[1]["chief", 0].endswith("done\n")
