"""A cluster of which one task is struck comes to its end, where each task that fails is started again; nobody hangs."""

from pathlib import Path

import pytest

from tests.kept_runs import IS_NEWEST

from .conftest import WrittenPair
from .restarted_cluster import JOB_SECONDS, STEPS, Blow, Job
from .test_parameter_servers import steps_saved

GONE = "A worker of this job is gone. Start all of them again"
NOTICED_SECONDS = 90
"""The longest that docs/workers.md lets a task wait for one that is gone."""

WORKERS, SERVERS = ["worker"] * 2, ["chief", "worker", "ps", "evaluator"]
TOGETHER = {
    "the other worker killed, back at once": (WORKERS, 1, Blow(0)),
    "the chief killed, back at once": (WORKERS, 0, Blow(0)),
    "the other worker killed before its first step": (WORKERS, 1, Blow(is_early=True)),
    "one of three stopped": (["worker"] * 3, 2, Blow(stop_seconds=40)),
    "the chief killed, back after 5 seconds, with a strategy made in a graph": (WORKERS, 0, Blow(5), "--graph"),
}

if not IS_NEWEST:  # one of each strategy
    TOGETHER = {case: TOGETHER[case] for case in TOGETHER if case.startswith("the chief")}


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return WrittenPair(Path(__file__).with_name("any_cluster.py"), tmp_path_factory.mktemp("restarted") / "pair")


@pytest.mark.parametrize("case", TOGETHER)
def test_workers_that_step_together_end_and_go_on_together(pair, tmp_path, case):
    types, number, blow, *more = TOGETHER[case]
    with Job(pair.new_python, pair.new, types, tmp_path, *more).ended() as job:
        job.strike(number, blow)
    assert not job.missing, {task.name: task.output[-1500:] for task in job.tasks}
    assert len(job.noticed) == len(types) - 1
    assert max(job.noticed.values()) < NOTICED_SECONDS
    assert any(GONE in task.output for task in job.tasks)
    for task in job.tasks:
        first, *_, last = task.numbers("ready at")
        assert (first, last) == (0, 0 if blow.is_early else 20)
        assert max(task.numbers("step")) >= STEPS[False] - 1
    assert steps_saved(job.model_dir) == [0, 20, 40, 60]


def test_a_parameter_server_that_comes_again_goes_on_with_the_chiefs_last_save_and_nobody_fails(pair, tmp_path):
    with Job(pair.new_python, pair.new, SERVERS, tmp_path).ended() as job:
        job.strike(2, Blow(5))
    assert not job.missing, {task.name: task.output[-1500:] for task in job.tasks}
    assert not job.noticed
    begun = job.tasks[0].numbers("ready at")
    assert len(begun) == 2
    assert begun[1] in steps_saved(job.model_dir)


def test_a_task_whose_others_never_come_says_so_and_fails_in_its_time(pair, tmp_path):
    """With a strategy that was made eagerly TensorFlow waits by itself."""
    with Job(pair.new_python, pair.new, WORKERS, tmp_path, "--graph", "--wait", "8").ended() as job:
        alone, other = job.tasks
        other.end()
        alone.process.wait(JOB_SECONDS)
    assert alone.process.poll() == 1
    assert f"{GONE}: they go on from the latest checkpoint. Waited 8 seconds for worker 1 at localhost:" in alone.output


def test_a_server_that_never_comes_again_is_told_of_and_not_waited_for_for_ever(pair, tmp_path):
    with Job(pair.new_python, pair.new, SERVERS, tmp_path, "--wait", "45").ended() as job:
        chief, _, server, _ = job.tasks
        while not chief.numbers("step"):
            assert chief.process.poll() is None, chief.output
        server.process.kill()
        chief.process.wait(JOB_SECONDS)
    assert chief.process.poll() == 1
    assert "ps 0 at localhost:" in chief.output
    assert " does not answer." in chief.output
    assert "has not answered for 45 seconds." in chief.output
