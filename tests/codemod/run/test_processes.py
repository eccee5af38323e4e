"""Several processes do what one does, and few files need only one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from migrate.pipeline.processes import Processes, WorkerKilled
from tests.codemod.programs import program

ROOT = Path(__file__).parents[3]
PLAIN = {**os.environ, "PYTHONPATH": str(ROOT)}


def process_of(number):
    return os.getpid(), number


def test_few_calls_stay_in_this_process():
    with Processes(2) as processes:
        assert list(processes.map(process_of, [(0,), (1,), (2,)], few=4)) == [
            (os.getpid(), number) for number in range(3)
        ]


def test_one_process_is_this_one():
    with Processes(1) as processes:
        assert {pid for pid, _ in processes.map(process_of, zip(range(100)), few=1)} == {os.getpid()}


def test_many_calls_are_made_by_the_same_other_processes_in_the_order_of_the_arguments():
    with Processes(2) as processes:
        first, second = (list(processes.map(process_of, zip(range(100)), few=100)) for _ in range(2))
    assert [number for _, number in first] == list(range(100))
    pids = {pid for pid, _ in first + second}
    assert os.getpid() not in pids
    assert len(pids) <= 2


def test_only_the_first_process_answers_ctrl_c():
    code = (
        "import time; from migrate.pipeline.processes import Processes\n"
        "with Processes(2) as processes:\n"
        "    for _ in processes.map(time.sleep, [(0.01,)] * 10_000, few=1):\n"
        "        print('begun', flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate()
    assert errors.count("KeyboardInterrupt") == 1
    assert "ForkProcess" not in errors


@pytest.mark.parametrize("moment", ["before", "after_in_parent", "after_in_child"])
def test_ctrl_c_at_the_fork_of_a_worker_is_answered_after_it(moment):
    """Python ignores an exception in the code that runs around a fork: there the signal was lost."""
    answers = moment != "after_in_child"
    code = (
        "import os, signal, sys; from migrate.pipeline.processes import Processes\n"
        f"os.register_at_fork({moment}=lambda: signal.raise_signal(signal.SIGINT))\n"
        "with Processes(2) as processes:\n"
        "    for number in processes.map(abs, [(1,)] * 100, few=1):\n"
        f"        {'sys.exit(5)' if answers else 'pass'}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Exception ignored" not in done.stderr
    assert "ForkProcess" not in done.stderr
    assert done.stderr.count("KeyboardInterrupt") == (1 if answers else 0)
    assert done.returncode == (-signal.SIGINT if answers else 0)


def test_workers_end_with_the_process_that_is_killed():
    code = (
        "import os, time; from migrate.pipeline.processes import Processes\n"
        "with Processes(2) as processes:\n"
        "    for pid in processes.map(os.getppid, [()] * 10, few=1):\n"
        "        print('begun', flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate(timeout=30)  # until the last worker has closed it


def killed_by_a_seventh(number):
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_process_ends_the_work():
    with Processes(2) as processes, pytest.raises(WorkerKilled):
        list(processes.map(killed_by_a_seventh, zip(range(100)), few=1))


def test_a_killed_process_ends_the_run_with_one_line_and_nothing_is_written(tmp_path):
    texts = {}
    for number in range(220):
        text = program(config=f"RunConfig(save_checkpoints_steps={number + 1})") if number % 27 == 0 else "x = 1\n"
        texts[f"module{number}.py"] = text
        (tmp_path / f"module{number}.py").write_text(text)
    command = [sys.executable, "-m", "migrate", "--write", "-j2", "."]
    process = subprocess.Popen(command, cwd=tmp_path, env=PLAIN, stderr=subprocess.PIPE, text=True)
    while not (workers := children_of(process.pid)):
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(workers[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    line = "a process was killed, and nothing was written: run it again with fewer processes (-j 1)"
    assert (process.returncode, errors) == (2, f"python -m migrate: error: {line}\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == texts


def children_of(process):
    listed = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [*map(int, listed.split())]
