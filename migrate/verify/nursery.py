"""Forks programs from a process that has imported TensorFlow, so that a start costs a fork instead of an import."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Lock
from typing import IO, Any

from migrate.verify import child
from migrate.verify.record import Attempt
from migrate.verify.training_program import Program

SIZE_BYTES = 4
"""How many bytes at the beginning of a request give its size."""

SERVER = Path(__file__).parent / "recording" / "nursery.py"


class Unavailable(Exception):
    """The interpreter cannot fork programs: it is older than Python 3.9, or it cannot import TensorFlow."""


class Nursery:
    """A process that has imported TensorFlow and forks programs.

    Args:
      env: the environment in which TensorFlow is imported.
      recording: whether the recorder is loaded there, as ``migrate.verify`` needs it.
      start: starts the process as ``subprocess.Popen`` does, in a session of its own.

    Attributes:
      file: the file that TensorFlow was imported from.
    """

    def __init__(
        self,
        python: str | Path,
        env: Mapping[str, str],
        recording: bool = True,
        start: Callable[..., subprocess.Popen[bytes]] | None = None,
    ) -> None:
        self._requests, theirs = socket.socketpair()
        self._asking = Lock()
        self.python = os.fspath(python)
        with theirs:
            mode = ["recording"] if recording else []
            command = [self.python, os.fspath(SERVER), str(theirs.fileno()), str(SIZE_BYTES), *mode]
            how: dict[str, Any] = {"env": dict(env), "pass_fds": [theirs.fileno()], "stderr": subprocess.DEVNULL}
            alone: dict[str, Any] = {} if start else {"stdin": subprocess.DEVNULL, "start_new_session": True}
            self._process: subprocess.Popen[bytes] = (start or subprocess.Popen)(command, **how, **alone)
        with self._requests.makefile() as answers:
            answer = answers.readline()
        if not answer:
            self.close()
            raise Unavailable
        imported = json.loads(answer)
        self.tensorflow: str = imported["version"]
        self.file: str = imported["file"]

    def close(self) -> None:
        """Ends the process and the programs that it has started."""
        self._requests.close()
        child.end(self._process)

    def launch(
        self,
        command: list[str],
        env: Mapping[str, str],
        cwd: str | Path | None = None,
        stdout: Any = subprocess.DEVNULL,
        stderr: Any = subprocess.DEVNULL,
        text: bool = False,
        **rest: Any,
    ) -> Any:
        """Forks the program of a command of this interpreter; starts any other command by ``subprocess.Popen``."""
        if command[0] != self.python:
            return subprocess.Popen(command, env=env, cwd=cwd, stdout=stdout, stderr=stderr, text=text, **rest)
        output, output_end = _stream_ends(stdout)
        errors, errors_end = (None, os.dup(output_end)) if stderr == subprocess.STDOUT else _stream_ends(stderr)
        status, status_end = os.pipe()
        kept_end, kept = os.pipe()
        ends = [output_end, errors_end, status_end, kept_end]
        request = {
            "command": [os.fspath(each) for each in command[1:]],
            "env": dict(env),
            "cwd": os.fspath(cwd or os.getcwd()),
        }
        data = json.dumps(request).encode()
        try:
            with self._asking, contextlib.suppress(OSError):  # the process has ended: the program counts as killed
                socket.send_fds(self._requests, [len(data).to_bytes(SIZE_BYTES, "big")], ends)
                self._requests.sendall(data)
        finally:
            for end in ends:
                os.close(end)
        read = [None if end is None else open(end, "r" if text else "rb") for end in (output, errors)]  # noqa: SIM115
        return ForkedProgram(open(status), kept, *read)


def _stream_ends(stream: Any) -> tuple[int | None, int]:
    """Returns the descriptors to read from (None without a pipe) and to write to, for a stream of ``Popen``."""
    if stream == subprocess.PIPE:
        return os.pipe()
    return None, (os.open(os.devnull, os.O_WRONLY) if stream == subprocess.DEVNULL else os.dup(stream.fileno()))


class ForkedProgram:
    """A forked program with the methods of ``subprocess.Popen`` that are used here.

    Args:
      status: the pipe that gives its process number and later its exit status.
      kept: a descriptor; while it is open, no other process gets the program's number.
    """

    def __init__(self, status: IO[str], kept: int, stdout: IO[Any] | None, stderr: IO[Any] | None) -> None:
        self.stdout, self.stderr, self._status, self._kept = (stdout, stderr, status, kept)
        self.returncode: int | None = None
        self._reading = Lock()
        # If the nursery has ended there is no number; then take one that no process can have.
        self.pid = int(status.readline() or sys.maxsize >> 32)

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end and returns the exit status, negative for a signal."""
        while self.returncode is None:
            with contextlib.suppress(OSError, ValueError):  # another thread has read and closed it
                if not select.select([self._status], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired([], timeout or 0.0)
            with self._reading:
                if self.returncode is None:
                    # There is no line if the nursery has ended.
                    self.returncode = int(self._status.readline() or -signal.SIGKILL)
                    self._status.close()
                    os.close(self._kept)
        return self.returncode

    def poll(self) -> int | None:
        """Returns the exit status; None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def communicate(self) -> tuple[Any, Any]:
        """Waits for the end and returns the program's output and errors; None for a stream that is no pipe."""
        with ThreadPoolExecutor(2) as both:
            texts = [both.submit(each.read) if each else None for each in (self.stdout, self.stderr)]
        self.wait()
        output, errors = (text.result() if text else None for text in texts)
        return output, errors

    def send_signal(self, number: int) -> None:
        """Sends a signal to the program unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Sends SIGKILL."""
        self.send_signal(signal.SIGKILL)


class Starter:
    """Starts a program as a new process the first time, and later by a nursery with the same TensorFlow."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._launch: Callable[..., Any] = subprocess.Popen
        self._nursery: Nursery | None = None

    def learn(self, attempt: Attempt) -> None:
        """Makes the nursery for later starts, which imports TensorFlow in the same environment as this start."""
        imported = next(iter(attempt.events_of("tensorflow")), None)
        if imported is None or self._nursery is not None or not hasattr(socket, "send_fds"):
            return
        changed = imported["environment"]
        env = {**self.program.environment(""), **changed}
        with contextlib.suppress(Unavailable):
            nursery = self._nursery = Nursery(
                self.program.python,
                {name: value for name, value in env.items() if value is not None},
                start=partial(child.begin, subprocess.Popen),
            )
            if nursery.file == imported["file"]:
                self._launch = nursery.launch

    def launch(self, command: list[str], **how: Any) -> Any:
        """Starts a process as ``subprocess.Popen`` does."""
        return self._launch(command, **how)

    def close(self) -> None:
        """Ends the nursery."""
        if self._nursery is not None:
            self._nursery.close()
