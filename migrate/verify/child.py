"""One start of a program in a process of its own, which is recorded, watched and always ended."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from migrate.verify.record import Attempt, Event
from migrate.verify.training_program import Program, ProgramError, own_directory

BOOTSTRAP = Path(__file__).parent / "recording" / "bootstrap.py"
EVENTS = "MIGRATE_VERIFY_EVENTS"
"""The variable that names the file of a start's events."""
GRACE_SECONDS = 10.0
MAX_OUTPUT_LINES = 200


_living: dict[subprocess.Popen[bytes], str] = {}
"""Each process that has not been ended -> the directory of its temporary files; "" if it has none."""
_stopped = threading.Event()


class ControllerEnding(Exception):
    """The controlling process is ending, so that it starts no more programs."""


def begin(launch: Callable[..., subprocess.Popen[bytes]], command: list[str], **how: Any) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own; the caller has to ``end`` it, unless ``stop_all`` does."""
    if _stopped.is_set():
        raise ControllerEnding
    adopt_orphans()
    process = launch(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True, **how)
    _living[process] = os.path.dirname((how.get("env") or {}).get(EVENTS, ""))
    if _stopped.is_set():
        end(process)
        raise ControllerEnding
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills the process and all processes that it has started, in any session, and waits for them."""
    started = descendants(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    end_orphans(started, _living.pop(process, ""), [one.pid for one in list(_living)])


def printed_json(program: Program, model_dir: Path, reader: Path) -> dict[str, Any]:
    """Runs a script on ``model_dir`` under the program's interpreter and returns the JSON it prints; {} if it fails."""
    command = [os.fspath(program.python), os.fspath(reader), os.fspath(model_dir)]
    started = begin(program.launch, command, env=program.environment(model_dir), stderr=subprocess.DEVNULL)
    try:
        output, _ = started.communicate()
    finally:
        end(started)
    found: dict[str, Any] = json.loads(output) if started.returncode == 0 else {}
    return found


def stop_all() -> None:
    """Ends every process, also those that other threads wait for, and prevents new ones until ``allow_starts``."""
    _stopped.set()
    for process in list(_living):
        end(process)


def allow_starts() -> None:
    """Allows new processes after a ``stop_all``, once no thread waits for an ended one."""
    _stopped.clear()


class Child:
    """A running program; as a context manager, it ends all its processes on exit.

    Args:
      scratch: a directory for its events and its temporary files; made here, removed by the caller.
      instruction: what the recorder does inside the process; None for nothing.

    Attributes:
      job: all tasks of its job, itself included.
      first_tasks: the type of a task -> the job's first task of this type.
    """

    def __init__(
        self,
        program: Program,
        model_dir: Path,
        scratch: Path,
        instruction: dict[str, Any] | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        scratch.mkdir()
        model_dir.mkdir(parents=True, exist_ok=True)  # Landlock can only allow changes to an existing directory
        self.path = scratch / "events.jsonl"
        self.events: list[Event] = []
        self.model_dir = model_dir
        self.timed_out = False
        self.job: list[Child] = [self]
        self.first_tasks: dict[str, Child] = {}
        self._read = 0
        self._output: deque[bytes] = deque(maxlen=MAX_OUTPUT_LINES)
        self.began = time.time()
        # A killed TensorFlow leaves autograph's temporary files.
        environment = {**program.environment(model_dir), "TMPDIR": str(scratch), **(env or {})}
        environment[EVENTS] = str(self.path)
        environment["MIGRATE_VERIFY_FAULT"] = _instruction(instruction, model_dir)
        environment["RECOVERY_DIRECTORY"] = str(own_directory(model_dir))
        environment["MIGRATE_VERIFY_CONFINED"] = json.dumps(program.confinement(model_dir, scratch))
        # Python's bytecode cache is next to the program, outside of the run's directory.
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        if shutil.which(program.python) is None:
            raise ProgramError(f"the interpreter {program.python} does not exist")
        # Writing output into a pipe cannot fail on a full disk; into a file it would.
        self.process = begin(
            program.launch,
            [os.fspath(program.python), os.fspath(BOOTSTRAP), *program.command(model_dir)],
            env=environment,
            cwd=program.make_cwd(model_dir),
            stderr=subprocess.STDOUT,
        )
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *ignored: object) -> None:
        self.kill_all()

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._output.append(line)

    def read_events(self) -> None:
        """Adds the events that were written since the last call."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        self.events += [json.loads(line) for line in whole.splitlines()]

    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def wait_for(self, kind: str, deadline: float, step: int = -1) -> Event | None:
        """Waits for an event of this kind, at this step or later; None if the program ends or time runs out before."""
        seen = 0
        while True:
            running = self.is_running()
            self.read_events()
            for event in self.events[seen:]:
                if event["event"] == kind and (step < 0 or (event.get("step") or 0) >= step):
                    return event
            seen = len(self.events)
            if not running:
                return None
            if time.time() > deadline:
                self.timed_out = True
                return None
            time.sleep(0.005)

    def kill(self) -> None:
        """Sends SIGKILL to the program, but not to processes that it has started."""
        self.process.kill()

    def kill_all(self) -> None:
        """Sends SIGKILL to the program and all processes that it has started, and waits for its last output."""
        end(self.process)
        self._reader.join(GRACE_SECONDS)

    def attempt(self, deadline: float) -> Attempt:
        """Waits for the end and returns what was recorded; kills a program that runs longer than ``deadline``."""
        try:
            self.process.wait(max(deadline - time.time(), 0.01))
        except subprocess.TimeoutExpired:
            self.timed_out = True
        self.kill_all()
        self.read_events()
        return Attempt(
            events=self.events,
            code=self.process.returncode,
            output=b"".join(self._output).decode(errors="replace"),
            began=self.began,
            ended=time.time(),
            timed_out=self.timed_out,
        )


def attempt_of_all(children: list[Child], tasks: list[str], deadline: float) -> Attempt:
    """Waits for all tasks of a job; returns the chief's attempt with the faults and evaluations of all tasks.

    When a task has failed, the others are ended after ``GRACE_SECONDS``. Parameter servers, which never end by
    themselves, are ended when the other tasks are done.
    """
    ending = [child for child, task in zip(children, tasks, strict=True) if task != "ps"]
    while any(child.is_running() for child in ending) and time.time() < deadline:
        if any(child.process.poll() not in (None, 0) for child in children):
            deadline = min(deadline, time.time() + GRACE_SECONDS)
        time.sleep(0.01)
    chief, *others = [child.attempt(deadline) for child in ending]
    for child in children:
        child.kill_all()
    also = [event for other in others for event in (*other.events_of("fault"), *other.events_of("evaluation"))]
    failed = next((other.code for other in others if other.code != 0), 0)
    return replace(chief, events=[*chief.events, *also], code=chief.code or failed)


def _instruction(instruction: dict[str, Any] | None, model_dir: Path) -> str:
    """Returns the instruction as JSON, with ``{model_dir}`` replaced; "" for None."""
    if not instruction:
        return ""
    fields = {
        key: value.replace("{model_dir}", str(model_dir)) if isinstance(value, str) else value
        for key, value in instruction.items()
    }
    return json.dumps(fields)


_PR_SET_CHILD_SUBREAPER = 36
_MAX_PASSES = 100
"""A program may start others while it is being ended; each pass ends the orphans that the pass before has made."""


def adopt_orphans() -> None:
    """Makes this process, in place of init, the parent of orphans among its descendants; on Linux only."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(pid: int) -> set[int]:
    """Returns the processes that a process has started, directly or not; an orphan has no known parent any more."""
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
    """Kills the processes that a dead program has left, and waits for them.

    Args:
      known: processes that the program is known to have started.
      marker: the directory of its temporary files: a process that names it or has one of them open is the program's.
      others: children of this process that are not orphans of the program.
    """
    known = set(known)
    for _ in range(_MAX_PASSES):
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
    """Yields the number of each process of the machine and of its parent."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                    # The program's name, in parentheses, may contain spaces and parentheses.
                    yield int(name), int(file.read().rpartition(b")")[2].split()[1])


def _is_marked(pid: int, marker: str) -> bool:
    """Whether a process has the directory ``marker``, or a path in it, in its environment, or has a file in it open."""
    own, below = os.fsencode(marker), os.fsencode(os.path.join(marker, ""))
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/environ", "rb") as file:
            values = [one.partition(b"=")[2] for one in file.read().split(b"\0")]
        if any(value == own or value.startswith(below) for value in values):
            return True
        # The environment that /proc shows for a fork is that of the nursery.
        return any(os.readlink(one.path).startswith(os.fsdecode(below)) for one in os.scandir(f"/proc/{pid}/fd"))
    return False
