"""SIGKILL in the middle of a save, at a chosen one of the changes that it makes to the directory."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from migrate.verify.child import Child
from migrate.verify.faults.fault import PausingFault

NAMING = "openat,/^rename,/^unlink,/^mkdir,rmdir,ftruncate"
"""Calls that make, rename and remove files: a TensorFlow server wakes its threads by writes, which must not wait."""
CALLS = f"{NAMING},write,pwrite64,writev"
HOLD_MICROSECONDS = 20_000
ATTACH_SECONDS = 10.0

Picture = dict[str, tuple[int, int]]


def picture(directory: Path) -> Picture:
    """Size and time of change of each entry below ``directory``."""
    entries: Picture = {}
    for root, directories, files in os.walk(directory):
        for name in (*directories, *files):
            path = os.path.join(root, name)
            try:
                status = os.lstat(path)
            except FileNotFoundError:
                continue
            entries[path] = (status.st_size, status.st_mtime_ns if name in files else 0)
    return entries


@dataclass
class KillInSave(PausingFault):
    """SIGKILL at one of the file-system calls of the first save after the step (the command tries each of them).

    ``strace`` holds up each file-system call while it returns, so that the directory can be looked at after every one.
    Where there is no ``strace``, or it may not attach, the directory is looked at as often as possible, and a note
    says so.

    Attributes:
      change: after which change of the directory, counted from 1.
      calls: the calls that return late, as ``strace`` names them.
      made: how many changes were seen, set while it runs.
      complete: whether the save was done before ``change`` was reached, set while it runs.
    """

    change: int = 1
    calls: str = CALLS
    name = "sigkill-in-save"
    same_moment = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.made = 0
        self.complete = False

    def strike(self, child: Child, deadline: float) -> None:
        tracer = hold_up(child.process.pid, self.calls)
        try:
            if tracer is None:
                self.notes.append("strace is absent or may not attach: the kills are only near the calls")
            self.release()
            self._kill_at_change(child, deadline)
        finally:
            if tracer is not None:
                tracer.kill()
                tracer.wait()

    def _kill_at_change(self, child: Child, deadline: float) -> None:
        before = picture(child.model_dir)
        saves = len(child.events)
        while child.is_running() and time.time() < deadline:
            now = picture(child.model_dir)
            if now != before:
                before = now
                self.made += 1
                if self.made == self.change:
                    child.kill()
                    return
            child.read_events()
            if any(event["event"] == "save" for event in child.events[saves:]):
                self.complete = True
                child.kill()
                return


def hold_up(pid: int, calls: str) -> subprocess.Popen[bytes] | None:
    """Attach ``strace`` so that each file-system call of the process returns late; None where that cannot be done."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    hold = f"inject={calls}:delay_exit={HOLD_MICROSECONDS}"
    tracer = subprocess.Popen(
        [strace, "-f", "-qq", "-p", str(pid), "-e", f"trace={calls}", "-e", hold, "-o", os.devnull],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.time() + ATTACH_SECONDS
    while time.time() < deadline and tracer.poll() is None:
        if _all_traced(pid):
            return tracer
        time.sleep(0.005)
    tracer.kill()
    tracer.wait()
    return None


def _all_traced(pid: int) -> bool:
    """Whether every thread of the process has a tracer."""
    try:
        statuses = [(task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return False
    return all("TracerPid:\t0\n" not in status for status in statuses)
