"""A process killed at any moment of a write leaves the old file or the new one, whole."""

import os
import signal
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from migrate.files import boundary, journal, step, transaction, write
from migrate.files.boundary import Boundary
from migrate.files.transaction import settle

from .test_write import replace_file

OLD = b"old = 1\n" * 50_000
NEW = b"new = 22\n" * 60_000
FORK = get_context("fork")
SOURCES = tuple(str(module.__file__) for module in (transaction, journal, step, write, boundary))


def at_each_line(call: Callable[[int], object], action: Callable[[], object], files: tuple[str, ...]) -> None:
    """Runs ``action``, and calls with its number before each line of the files that is to run."""
    number = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal number
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            number += 1
            call(number)
        return trace

    sys.settrace(trace)
    action()


def new_states(state: Callable[[], object], action: Callable[[], object], files: tuple[str, ...]) -> list[int]:
    """The lines before which the disk is not as it was before the line above; a kill at another line leaves the same.

    Another process does the action.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        seen: list[object] = [None]
        with os.fdopen(writing, "w") as pipe:

            def compare(number: int) -> None:
                now = state()
                if now != seen[-1]:
                    seen.append(now)
                    print(number, file=pipe)

            at_each_line(compare, action, files)
            sys.settrace(None)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        numbers = [int(line) for line in pipe]
    os.waitpid(process, 0)
    return numbers


def killed_before_line(count: int, action: Callable[[], object], files: tuple[str, ...]) -> bool:
    """Whether another process that does the action died by SIGKILL before that line of the code that writes."""
    process = os.fork()
    if not process:
        try:
            at_each_line(lambda number: number == count and os.kill(os.getpid(), signal.SIGKILL), action, files)
        except BaseException:
            os._exit(1)
        os._exit(0)
    ending = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert ending in (0, -signal.SIGKILL)
    return ending != 0


@pytest.mark.parametrize("before", [OLD, None])
def test_a_kill_before_any_change_of_the_disk_leaves_the_old_file_or_the_new_one_and_nothing_that_stays(
    tmp_path: Path, before: bytes | None
) -> None:
    path = tmp_path / "a.py"

    def begin() -> None:
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)

    def write() -> None:
        replace_file(str(path), NEW, before)

    begin()
    seen: list[bytes | None] = []
    for line in new_states(lambda: sorted(os.listdir(tmp_path)), write, SOURCES):
        begin()
        assert killed_before_line(line, write, SOURCES)
        assert (path.read_bytes() if path.exists() else None) in (before, NEW)
        settle(str(tmp_path), Boundary([str(tmp_path)]))
        assert os.listdir(tmp_path) in ([], ["a.py"])
        seen.append(path.read_bytes() if path.exists() else None)
    assert seen == [before] * seen.count(before) + [NEW] * seen.count(NEW)
    assert seen.count(before) > 2 < seen.count(NEW)
