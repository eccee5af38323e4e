"""Several processes do what one does, and few files need only one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.pipeline.dealing import ByPlace
from migrate.pipeline.processes import Processes
from tests.codemod.programs import program

ROOT = Path(__file__).parents[3]
PLAIN = {**os.environ, "PYTHONPATH": str(ROOT)}


def process_of(number: int) -> tuple[int, int]:
    return os.getpid(), number


def lost(number: int) -> tuple[int, int]:
    raise AssertionError(f"{number} was lost")


def test_few_calls_stay_in_this_process() -> None:
    with Processes(2) as processes:
        assert list(processes.map(process_of, [(0,), (1,), (2,)], lost, few=4)) == [
            (os.getpid(), number) for number in range(3)
        ]


def test_one_process_is_this_one() -> None:
    with Processes(1) as processes:
        assert {pid for pid, _ in processes.map(process_of, zip(range(100)), lost, few=1)} == {os.getpid()}


def test_many_calls_are_made_by_the_same_other_processes_in_the_order_of_the_arguments() -> None:
    with Processes(2) as processes:
        first, second = (list(processes.map(process_of, zip(range(100)), lost, few=100)) for _ in range(2))
    assert [number for _, number in first] == list(range(100))
    pids = {pid for pid, _ in first + second}
    assert os.getpid() not in pids
    assert len(pids) <= 2


def repository_of(number: int) -> int:
    return number // 40


def test_the_files_of_one_repository_go_to_one_process_which_knows_them_later_too() -> None:
    with Processes(2) as processes:
        first, second = (
            list(processes.map(process_of, zip(range(160)), lost, few=20, place=repository_of)) for _ in range(2)
        )
    assert [number for _, number in first] == list(range(160))
    assert first == second
    assert len(set(first)) == 160
    assert len({(pid, number // 40) for pid, number in first}) == 4
    assert len({pid for pid, _ in first}) == 2


@pytest.mark.parametrize(("calls", "is_shared"), [(300, True), (100, False)])
def test_a_second_process_helps_with_one_repository_where_that_is_large(calls: int, is_shared: bool) -> None:
    dealt = ByPlace(enumerate(zip(range(calls))), lambda number: "one", {})
    pieces = [dealt.piece("first", 0), dealt.piece("second", 0)]
    assert bool(pieces[1]) is is_shared
    while piece := dealt.piece("first", 0) or dealt.piece("second", 0):
        pieces.append(piece)
    assert sorted(number for piece in pieces for number, _ in piece) == list(range(calls))


@pytest.mark.parametrize("jobs", [1, 2])
def test_calls_are_asked_for_as_they_are_made(jobs: int) -> None:
    asked = 0

    def calls() -> Iterator[tuple[int]]:
        nonlocal asked
        for asked in range(1, 10_001):
            yield (asked,)

    with Processes(jobs) as processes:
        results = processes.map(process_of, calls(), lost, few=10)
        for made, _ in enumerate(results, start=1):
            assert asked - made < 200
    assert asked == 10_000


def test_only_the_first_process_answers_ctrl_c() -> None:
    code = (
        "import time; from migrate.pipeline.processes import Processes\n"
        "with Processes(2) as processes:\n"
        "    for _ in processes.map(time.sleep, [(0.01,)] * 10_000, print, few=1):\n"
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
def test_ctrl_c_at_the_fork_of_a_worker_is_answered_after_it(moment: str) -> None:
    """Python ignores an exception in the code that runs around a fork: there the signal was lost."""
    answers = moment != "after_in_child"
    code = (
        "import os, signal, sys; from migrate.pipeline.processes import Processes\n"
        f"os.register_at_fork({moment}=lambda: signal.raise_signal(signal.SIGINT))\n"
        "with Processes(2) as processes:\n"
        "    for number in processes.map(abs, [(1,)] * 100, print, few=1):\n"
        f"        {'sys.exit(5)' if answers else 'pass'}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Exception ignored" not in done.stderr
    assert "ForkProcess" not in done.stderr
    assert done.stderr.count("KeyboardInterrupt") == (1 if answers else 0)
    assert done.returncode == (-signal.SIGINT if answers else 0)


def test_workers_end_with_the_process_that_is_killed() -> None:
    code = (
        "import os, time; from migrate.pipeline.processes import Processes\n"
        "with Processes(2) as processes:\n"
        "    for pid in processes.map(os.getppid, [()] * 10, print, few=1):\n"
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


def of_process_killed_by_a_seventh(number: int, marks: str) -> int:
    """The number, unless it ends with 7: 17, 27 … end their process always, 7 the first time."""
    if number % 10 == 7:
        mark = Path(marks, str(number))
        if number != 7 or not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_process_loses_no_call_but_the_one_that_kills_it_again(tmp_path: Path) -> None:
    calls = [(number, str(tmp_path)) for number in range(100)]
    with Processes(2) as processes:
        found = list(processes.map(of_process_killed_by_a_seventh, calls, lambda number, _: -number, few=1))
        # The processes that come after it are as good.
        assert list(processes.map(process_of, zip(range(50)), lost, few=1)) != []
    assert found == [-number if number % 10 == 7 != number else number for number in range(100)]


def test_a_worker_killed_from_outside_costs_no_file(tmp_path: Path) -> None:
    """Its files are done again: what is written is what one process writes, and the exit code is the same."""
    for number in range(220):
        text = program(config=f"RunConfig(save_checkpoints_steps={number + 1})") if number % 27 == 0 else "x = 1\n"
        for tree in ("alone", "killed"):
            (tmp_path / tree).mkdir(exist_ok=True)
            (tmp_path / tree / f"module{number}.py").write_text(text)
    command = [sys.executable, "-m", "migrate", "--write", "--format", "json"]
    alone = subprocess.run([*command, "-j1", "."], cwd=tmp_path / "alone", env=PLAIN, capture_output=True, check=False)
    kills = 0
    with open(tmp_path / "output", "wb") as output, open(tmp_path / "errors", "wb") as errors:
        process = subprocess.Popen(
            [*command, "-j2", "."], cwd=tmp_path / "killed", env=PLAIN, stdout=output, stderr=errors
        )
        while process.poll() is None:
            for worker in children_of(process.pid)[:1] if not kills else ():
                os.kill(worker, signal.SIGKILL)
                kills += 1
            time.sleep(0.05)
    assert kills == 1
    told = (tmp_path / "output").read_bytes(), (tmp_path / "errors").read_bytes()
    assert (process.returncode, *told) == (alone.returncode, alone.stdout, alone.stderr)
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / tree).rglob("*.py")} for tree in ("alone", "killed")
    )
    assert second == first


def children_of(process: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [*map(int, listed.split())]
