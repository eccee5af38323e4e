"""Start programs out of a process that has imported TensorFlow already: a start costs a fork instead of an import.

TensorFlow does nothing before its first operation, so the forked process is what the program would have made of itself;
a SIGKILL ends it as any other. This file is also what runs under the programs' interpreter.
"""

import json
import os
import runpy
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

BOOTSTRAP = Path(__file__).parents[2] / "migrate" / "verify" / "recording" / "bootstrap.py"


class Start:
    """A running program: its process, and when it was started, in seconds since the epoch."""

    def __init__(self, pid, nursery):
        self.pid, self.began, self._nursery = pid, time.time(), nursery

    def wait(self, seconds):
        """Wait for the end and give the exit status, negative for a signal; None if it is not there in time."""
        return self._nursery.answer(max(seconds, 0.0))

    def kill(self):
        """Send SIGKILL, and give the exit status; the program may have come to its end before."""
        os.kill(self.pid, signal.SIGKILL)  # its number is its own until the answer is read, see serve
        return self._nursery.answer(None)


class Nursery:
    """A process with TensorFlow, which forks one program at a time; use it as a context manager.

    Args:
      python: the interpreter.
      env: variables for it and all programs.
      scratch: a directory for temporary files, that of killed programs too.
    """

    def __init__(self, python, env, scratch):
        environment = {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ, **env, "TMPDIR": str(scratch)}
        self._process = subprocess.Popen(
            [python, __file__, BOOTSTRAP], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._reaped = True
        self.tensorflow = json.loads(self._process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self._process.kill()
        self._process.communicate()

    def start(self, command, events, output):
        """Run a program, a list of its script and arguments, whose events and output go to these files."""
        self._tell({"command": [str(word) for word in command], "events": str(events), "output": str(output)})
        return Start(int(self._process.stdout.readline()), self)

    def answer(self, seconds):
        """The exit status of the running program, None if it has none after so many seconds."""
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        if not ready:
            return None
        code = json.loads(self._process.stdout.readline())
        self._tell("read")
        return code

    def _tell(self, request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()


def serve(bootstrap):
    """Fork a program for each line on stdin, and print its process and then its exit status."""
    sys.path[0] = os.path.dirname(bootstrap)
    import bootstrap as loader

    del sys.path[0]
    loader.load_package("_migrate_recording", os.path.dirname(bootstrap))
    from _migrate_recording import imports, watched

    imports.watch(watched.MODULES)
    import tensorflow as tf

    tf.keras.Sequential  # noqa: B018  Keras is imported at its first use
    print(json.dumps(tf.__version__), flush=True)
    for line in iter(sys.stdin.readline, ""):
        pid = os.fork()
        if not pid:
            return run(**json.loads(line))
        print(pid, flush=True)
        # It stays a zombie, and its number its own, until it is known that nobody will kill it any more.
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        print(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status, flush=True)
        sys.stdin.readline()
        os.waitpid(pid, 0)


def run(command, events, output):
    """Be the program, recorded."""
    from _migrate_recording import session

    nothing, written = os.open(os.devnull, os.O_RDONLY), os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for file, number in ((nothing, 0), (written, 1), (written, 2)):
        os.dup2(file, number)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    sys.argv = command
    sys.path.insert(0, os.path.dirname(os.path.abspath(command[0])))
    with session.recorded(events, "", watching=True):
        runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    serve(sys.argv[1])
