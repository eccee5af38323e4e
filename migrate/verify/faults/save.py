"""The fault that sends SIGKILL in the middle of a save, after a chosen change to the directory."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from migrate.verify.child import Child
from migrate.verify.faults.fault import PausingFault

PATH_CALLS = "openat,/^rename,/^unlink,/^mkdir,rmdir,ftruncate"
"""System calls that make, rename and remove files; none that write: a TensorFlow server wakes its threads by these."""
CALLS = f"{PATH_CALLS},write,pwrite64,writev"
DELAY_MICROSECONDS = 20_000
ATTACH_SECONDS = 10.0

Entries = dict[str, tuple[int, int]]


def list_entries(directory: Path) -> Entries:
    """Returns the size and modification time of each entry below ``directory``, by its path."""
    entries: Entries = {}
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

    ``strace`` delays the return of each file-system call, so that the directory can be read after every one. Without
    ``strace``, or if it may not attach, the directory is read as often as possible, and a note says so.

    Attributes:
      change: the number of the change of the directory after which to kill, counted from 1.
      calls: the delayed system calls, as ``strace`` names them.
      changes_seen: how many changes were seen, set while it runs.
      complete: whether the save ended before ``change`` was reached, set while it runs.
    """

    change: int = 1
    calls: str = CALLS
    name = "sigkill-in-save"
    same_moment = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.changes_seen = 0
        self.complete = False

    def strike(self, child: Child, deadline: float) -> None:
        tracer = delay_calls(child.process.pid, self.calls)
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
        before = list_entries(child.model_dir)
        saves = len(child.events)
        while child.is_running() and time.time() < deadline:
            now = list_entries(child.model_dir)
            if now != before:
                before = now
                self.changes_seen += 1
                if self.changes_seen == self.change:
                    child.kill()
                    return
            child.read_events()
            if any(event["event"] == "save" for event in child.events[saves:]):
                self.complete = True
                child.kill()
                return


def delay_calls(pid: int, calls: str) -> subprocess.Popen[bytes] | None:
    """Attaches ``strace`` so that each of the system calls of the process returns late; None if it cannot attach."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    delay = f"inject={calls}:delay_exit={DELAY_MICROSECONDS}"
    tracer = subprocess.Popen(
        [strace, "-f", "-qq", "-p", str(pid), "-e", f"trace={calls}", "-e", delay, "-o", os.devnull],
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
