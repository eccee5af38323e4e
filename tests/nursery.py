"""Start programs out of a process that has imported TensorFlow already: a start costs a fork instead of an import.

TensorFlow does nothing before its first operation, so the forked process is what the program would have made of itself,
and a SIGKILL ends it as any other. This file is also what runs under the programs' interpreter.
"""

import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

BOOTSTRAP = Path(__file__).parents[1] / "migrate" / "verify" / "recording" / "bootstrap.py"
BEFORE_THE_IMPORT = ("wrong_optimizer", "changed_seed")
"""Faults that change TensorFlow while it is imported."""


class Nursery:
    """A process with TensorFlow, out of which programs are forked.

    Args:
      python: the interpreter.
      env: variables that TensorFlow reads while it is imported, such as ``TF_USE_LEGACY_KERAS``.

    Attributes:
      tensorflow: its version.
    """

    def __init__(self, python, env=()):
        self._requests, theirs = socket.socketpair()
        environment = {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ, **dict(env)}
        self._process = subprocess.Popen(
            [python, __file__, BOOTSTRAP],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        theirs.close()
        self.python = os.fspath(python)
        self.tensorflow = json.loads(self._process.stdout.readline())

    def close(self):
        """End it; a program that it has started is ended too."""
        self._requests.close()
        self._process.communicate()

    def launch(self, command, env, cwd=None, **rest):
        """Start what ``migrate.verify`` would start by ``subprocess.Popen``; what cannot be forked is started so."""
        fault = json.loads(env.get("MIGRATE_VERIFY_FAULT") or "{}").get("kind")
        if command[0] != self.python or fault in BEFORE_THE_IMPORT:
            return subprocess.Popen(command, env=env, cwd=cwd, **rest)
        output, output_end = os.pipe()
        status, status_end = os.pipe()
        kept_end, kept = os.pipe()
        request = json.dumps({"command": command[2:], "env": env, "cwd": os.fspath(cwd or os.getcwd())}).encode()
        socket.send_fds(self._requests, [len(request).to_bytes(4, "big")], [output_end, status_end, kept_end])
        self._requests.sendall(request)
        for end in (output_end, status_end, kept_end):
            os.close(end)
        return Forked(open(output, "rb"), open(status), kept)


class Forked:
    """A forked program, with what ``migrate.verify`` uses of ``subprocess.Popen``."""

    def __init__(self, stdout, status, kept):
        self.stdout, self._status, self._kept = stdout, status, kept
        self.pid, self.returncode = int(status.readline()), None

    def wait(self, timeout=None):
        """Wait for the end and give the exit status, negative for a signal."""
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired([], timeout)
            # Nothing, where the nursery was ended before.
            self.returncode = int(self._status.readline() or -signal.SIGKILL)
            self._status.close()
            os.close(self._kept)
        return self.returncode

    def poll(self):
        """The exit status, None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def kill(self):
        """Send SIGKILL; until the exit status is read the process keeps its number."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def serve(bootstrap):
    """Fork a keeper with a program for each request, until nobody can ask any more."""
    sys.path[0] = os.path.dirname(bootstrap)
    import bootstrap as loader

    del sys.path[0]
    loader.load_package("_migrate_recording", os.path.dirname(bootstrap))
    from _migrate_recording import imports, session, watched

    imports.watch(watched.MODULES)
    import tensorflow as tf

    tf.keras.Sequential  # noqa: B018  Keras is imported at its first use
    print(json.dumps(tf.__version__), flush=True)
    session.die_with_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    requests = socket.socket(fileno=os.dup(0))
    while True:
        header, files, _, _ = socket.recv_fds(requests, 4, 3)
        if not header:
            return None
        request = bytearray()
        while len(request) < int.from_bytes(header, "big"):
            request += requests.recv(1 << 20)
        if not os.fork():
            requests.close()
            return keep(json.loads(request), *files)
        for file in files:
            os.close(file)


def keep(request, output, status, kept):
    """Fork the program, tell its number and then its exit status, and reap it when that has been read."""
    from _migrate_recording import session

    session.die_with_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if not pid:
        os.setsid()
        os.close(status)
        os.close(kept)
        return run(output, **request)
    os.close(output)
    os.write(status, b"%d\n" % pid)
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    os.write(status, b"%d\n" % (ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status))
    os.read(kept, 1)
    os._exit(0)


def run(output, command, env, cwd):
    """Be the program, recorded."""
    from _migrate_recording import session

    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(output, number)
    os.close(output)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    tempfile.tempdir = None
    sys.argv = command
    sys.path.insert(0, os.path.dirname(os.path.abspath(command[0])))
    events, fault = os.environ.pop("MIGRATE_VERIFY_EVENTS"), os.environ.pop("MIGRATE_VERIFY_FAULT", "")
    with session.recorded(events, fault, watching=True):
        runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    serve(sys.argv[1])
