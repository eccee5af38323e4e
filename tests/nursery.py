"""Start programs out of a process that has imported TensorFlow already: a start costs a fork instead of an import.

TensorFlow does nothing before its first operation, so the forked process is what the program would have made of itself,
and a SIGKILL ends it as any other. This file is also what runs under the programs' interpreter.
"""

import atexit
import contextlib
import json
import os
import random
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Lock

BOOTSTRAP = Path(__file__).parents[1] / "migrate" / "verify" / "recording" / "bootstrap.py"
BEFORE_THE_IMPORT = ("wrong_optimizer", "changed_seed")
"""Faults that change TensorFlow while it is imported."""


class Nursery:
    """A process with TensorFlow, out of which programs are forked.

    Args:
      python: the interpreter.
      env: variables that TensorFlow reads while it is imported, such as ``TF_USE_LEGACY_KERAS``.
      recording: whether the recorder is in place; a program is recorded if it is started as ``migrate.verify`` does.

    Attributes:
      tensorflow: its version.
    """

    def __init__(self, python, env=(), recording=True):
        self._requests, theirs = socket.socketpair()
        self._asking = Lock()
        environment = {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ, **dict(env)}
        for name in ("PYTHONPATH", *({"TF_USE_LEGACY_KERAS"} - dict(env).keys())):
            environment.pop(name, None)
        self._process = subprocess.Popen(
            [python, __file__, BOOTSTRAP, *(["recording"] if recording else [])],
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

    def launch(self, command, env, cwd=None, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=False, **rest):
        """Start what ``subprocess.Popen`` would start; what cannot be forked is started so."""
        fault = json.loads(env.get("MIGRATE_VERIFY_FAULT") or "{}").get("kind")
        if command[0] != self.python or fault in BEFORE_THE_IMPORT:
            return subprocess.Popen(command, env=env, cwd=cwd, stdout=stdout, stderr=stderr, text=text, **rest)
        output, output_end = _opened(stdout)
        errors, errors_end = (None, os.dup(output_end)) if stderr == subprocess.STDOUT else _opened(stderr)
        status, status_end = os.pipe()
        kept_end, kept = os.pipe()
        ends = [output_end, errors_end, status_end, kept_end]
        request = {
            "command": [os.fspath(each) for each in command[1:]],
            "env": env,
            "cwd": os.fspath(cwd or os.getcwd()),
        }
        data = json.dumps(request).encode()
        with self._asking:
            socket.send_fds(self._requests, [len(data).to_bytes(4, "big")], ends)
            self._requests.sendall(data)
        for end in ends:
            os.close(end)
        read = [None if end is None else open(end, "r" if text else "rb") for end in (output, errors)]  # noqa: SIM115
        return Forked(open(status), kept, *read)


def _opened(stream):
    """The end to read from, if any, and the end to write to, for what ``subprocess.Popen`` is told of a stream."""
    if stream == subprocess.PIPE:
        return os.pipe()
    return None, os.open(os.devnull, os.O_WRONLY) if stream == subprocess.DEVNULL else os.dup(stream.fileno())


class Forked:
    """A forked program, with what is used of ``subprocess.Popen``."""

    def __init__(self, status, kept, stdout, stderr):
        self.stdout, self.stderr, self._status, self._kept = stdout, stderr, status, kept
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

    def communicate(self):
        """Wait for the end and give what the program wrote to those of its two streams that are pipes."""
        with ThreadPoolExecutor(2) as both:
            texts = [both.submit(each.read) if each else None for each in (self.stdout, self.stderr)]
        self.wait()
        return tuple(text.result() if text else None for text in texts)

    def send_signal(self, number):
        """Send a signal; until the exit status is read the process keeps its number."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


@cache
def nursery(python, legacy_keras, recording):
    """The nursery for an interpreter and a Keras, with or without the recorder; it ends with the thread that asks."""
    made = Nursery(python, {"TF_USE_LEGACY_KERAS": "1"} if legacy_keras else {}, recording)
    atexit.register(made.close)
    return made


def launch(command, env, **rest):
    """Start a program as ``subprocess.Popen`` does, out of a nursery if it is for an interpreter with TensorFlow."""
    if command[0] not in {sys.executable, *(os.environ.get(f"MIGRATE_{line}_PYTHON") for line in ("OLD", "NEW"))}:
        return subprocess.Popen(command, env=env, **rest)
    legacy_keras = env.get("TF_USE_LEGACY_KERAS") == "1"
    return nursery(command[0], legacy_keras, "MIGRATE_VERIFY_EVENTS" in env).launch(command, env, **rest)


def run(command, env, cwd=None):
    """Start a program and wait for its end, as ``subprocess.run`` does with its output captured as text."""
    process = launch(command, env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def serve(bootstrap, recording=""):
    """Fork a keeper with a program for each request, until nobody can ask any more."""
    sys.path[0] = os.path.dirname(bootstrap)
    import bootstrap as loader

    del sys.path[0]
    loader.load_package("_migrate_recording", os.path.dirname(bootstrap))
    from _migrate_recording import imports, session, watched

    if recording:
        imports.watch(watched.MODULES)
    import tensorflow as tf

    tf.keras.Sequential  # noqa: B018  Keras is imported at its first use
    if hasattr(tf, "estimator"):
        tf.estimator.RunConfig  # noqa: B018
    print(json.dumps(tf.__version__), flush=True)
    session.die_with_parent()
    requests = socket.socket(fileno=os.dup(0))
    while True:
        header, files, _, _ = socket.recv_fds(requests, 4, 4)
        # Reaped here, the time that programs took counts as the tests' own.
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not header:
            return None
        # Not a byte more: the next request may be there already.
        request = requests.recv(int.from_bytes(header, "big"), socket.MSG_WAITALL)
        if not os.fork():
            requests.close()
            return keep(json.loads(request), *files)
        for file in files:
            os.close(file)


def keep(request, output, errors, status, kept):
    """Fork the program, tell its number and then its exit status, and reap it when that has been read."""
    from _migrate_recording import session

    session.die_with_parent()
    pid = os.fork()
    if not pid:
        os.setsid()
        os.close(status)
        os.close(kept)
        session.die_with_parent()
        return become(output, errors, **request)
    os.close(output)
    os.close(errors)
    os.write(status, b"%d\n" % pid)
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    os.write(status, b"%d\n" % (ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status))
    os.read(kept, 1)
    os.waitpid(pid, 0)
    os._exit(0)


def become(output, errors, command, env, cwd):
    """Be the program."""
    for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), output, errors)):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    tempfile.tempdir = None
    random.seed()
    sys.modules["numpy"].random.seed()
    sys.path[:0] = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path]
    if command[0] == os.fspath(BOOTSTRAP):
        from _migrate_recording import session, watched

        events, fault = os.environ.pop("MIGRATE_VERIFY_EVENTS"), os.environ.pop("MIGRATE_VERIFY_FAULT", "")
        sys.argv = command[1:]
        with session.recorded(events, fault, watching=True):
            watched.MODULES["tensorflow"](sys.modules["tensorflow"])  # imported when nothing could be told of it
            run_file(command[1])
    elif command[0] == "-c":
        sys.argv = ["-c", *command[2:]]
        sys.path.insert(0, "")
        exec(compile(command[1], "<string>", "exec"), {"__name__": "__main__"})
    elif command[0] == "-m":
        sys.argv = command[1:]
        sys.path.insert(0, cwd)
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        run_file(command[0])


def run_file(path):
    """Run a file as ``python FILE`` does."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    runpy.run_path(path, run_name="__main__")


if __name__ == "__main__":
    serve(*sys.argv[1:])
