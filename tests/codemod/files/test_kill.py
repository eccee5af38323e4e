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


def kill_before_line(count: int, action: Callable[[], object], files: tuple[str, ...] = (write.__file__,)) -> None:
    """Runs ``action``, and dies by SIGKILL before the line of the files that is the ``count``-th to run."""
    remaining = count

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal remaining
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            remaining -= 1
            if remaining == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    action()


def killed_before_line(count: int, action: Callable[[], object], files: tuple[str, ...] = (write.__file__,)) -> bool:
    """Whether another process that does the action died before that line of the code that writes."""
    process = os.fork()
    if not process:
        try:
            kill_before_line(count, action, files)
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
