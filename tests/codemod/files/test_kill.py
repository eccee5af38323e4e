"""A process killed at any moment of a write leaves the old file or the new one, whole."""

import os
import signal
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any

from migrate.files import write
from migrate.files.walk import walk
from migrate.files.write import replace_file

OLD = b"old = 1\n" * 50_000
NEW = b"new = 22\n" * 60_000
FORK = get_context("fork")


def left_over(directory: Path) -> list[str]:
    """What a kill left beside the file; a walk reads nothing of it."""
    found = [name for name in os.listdir(directory) if name != "a.py"]
    assert all(name.startswith(write.TEMPORARY_PREFIX) and name.endswith(write.TEMPORARY_SUFFIX) for name in found)
    assert list(walk([str(directory)])) == ([str(directory / "a.py")] if (directory / "a.py").exists() else [])
    return found


WRITES = (str(write.__file__),)


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


def killed_before_line(count: int, action: Callable[[], object], files: tuple[str, ...] = WRITES) -> bool:
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


def outcomes(path: Path, before: bytes | None, after: bytes) -> list[bytes | None]:
    """What stands at ``path`` after a kill before each line of a write in turn, and at last after none."""
    seen: list[bytes | None] = []
    killed = True
    while killed:
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
        killed = killed_before_line(len(seen) + 1, lambda: replace_file(str(path), after, before))
        seen.append(path.read_bytes() if path.exists() else None)
        for name in left_over(path.parent):
            (path.parent / name).unlink()
    return seen


def test_a_kill_before_any_line_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    seen = outcomes(tmp_path / "a.py", OLD, NEW)
    assert set(seen) == {OLD, NEW}
    assert seen == [OLD] * seen.count(OLD) + [NEW] * seen.count(NEW)
    assert len(seen) > 30


def test_a_kill_before_any_line_leaves_no_file_or_the_new_one(tmp_path: Path) -> None:
    seen = outcomes(tmp_path / "a.py", None, NEW)
    assert seen == [None] * seen.count(None) + [NEW] * seen.count(NEW)
    assert len(seen) > 20


def test_what_a_kill_left_behind_does_not_hinder_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    (tmp_path / f"{write.TEMPORARY_PREFIX}0123456789abcdef{write.TEMPORARY_SUFFIX}").write_bytes(NEW[:1000])
    replace_file(str(path), NEW, OLD)
    assert path.read_bytes() == NEW
