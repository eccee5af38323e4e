"""What a program has started in sessions of its own: this process adopts it when the program dies, and ends it."""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Collection, Iterator

_PR_SET_CHILD_SUBREAPER = 36
_PASSES = 100
"""A program may start others while it is being ended; each pass ends those that the one before has orphaned."""


def adopt() -> None:
    """Has the kernel give this process the orphans among its descendants, in place of init; on Linux alone."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(pid: int) -> set[int]:
    """Returns all that a process has started and what they have started, as far as their parents live."""
    children: dict[int, list[int]] = {}
    for one, parent in _processes():
        children.setdefault(parent, []).append(one)
    found, waiting = set[int](), [pid]
    while waiting:
        new = set(children.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def end_orphans(known: Collection[int], marker: str, others: Collection[int]) -> None:
    """Sends SIGKILL to what a dead program has left, and waits for it.

    Args:
      marker: the directory of its temporary files, which they have in their environment or files of it open.
      others: children of this process that are none of its orphans.
    """
    known = set(known)
    for _ in range(_PASSES):
        own = {pid for pid, parent in _processes() if parent == os.getpid()} - {*others}
        orphans = {pid for pid in own if pid in known or (marker and _is_marked(pid, marker))}
        if not orphans:
            return
        for pid in orphans:
            known |= descendants(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _processes() -> Iterator[tuple[int, int]]:
    """The number of each process of the machine, and that of its parent."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                    # The name of the program, in parentheses, may hold anything.
                    yield int(name), int(file.read().rpartition(b")")[2].split()[1])


def _is_marked(pid: int, marker: str) -> bool:
    """Whether a process has a path in a directory in its environment, or a file of it open."""
    own, below = os.fsencode(marker), os.fsencode(os.path.join(marker, ""))
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/environ", "rb") as file:
            values = [one.partition(b"=")[2] for one in file.read().split(b"\0")]
        if any(value == own or value.startswith(below) for value in values):
            return True
        # A fork of a process that has imported TensorFlow has the environment of that one.
        return any(os.readlink(one.path).startswith(os.fsdecode(below)) for one in os.scandir(f"/proc/{pid}/fd"))
    return False
