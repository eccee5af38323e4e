"""``python -m migrate`` forked out of a process that has imported it all: a process of its own, without the imports.

``python tests/codemod/forks.py SOCKET`` serves; where a test is about how the process starts, it starts one itself.
"""

import fcntl
import json
import os
import runpy
import socket
import subprocess
import sys
import termios
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LARGEST = 1 << 20
"""A request has so many bytes at most."""


@cache
def _server():
    """The server, which ends when this process has closed its socket; one that ended is never taken for another."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, __file__, str(theirs.fileno())]
    with theirs:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return ours, subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[theirs.fileno()])


def start(arguments, cwd, env, streams, module="migrate"):
    """Starts ``python -m migrate``, or another module, in a session of its own, to which its terminal belongs too.

    Args:
      arguments: what follows the module's name.
      cwd: where it runs.
      env: its environment.
      streams: the files that become its input, output and errors.
      module: its name.
    """
    request = json.dumps([module, list(arguments), str(cwd), dict(env)]).encode()
    socket.send_fds(_server()[0], [request], streams)


def ended():
    """Waits for the end of what was started last and gives its exit status, negative for a signal."""
    answer = _server()[0].recv(_LARGEST)
    assert answer, "the server has ended"
    return int(answer)


def run(arguments, cwd, env, module="migrate"):
    """Runs ``python -m migrate``, or another module, as ``subprocess.run`` does with its output captured as text."""
    with (
        open(os.devnull) as nothing,
        os.fdopen(os.memfd_create("output"), "w+") as output,
        os.fdopen(os.memfd_create("errors"), "w+") as errors,
    ):
        start(arguments, cwd, env, [nothing.fileno(), output.fileno(), errors.fileno()], module)
        code = ended()
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess([*arguments], code, output.read(), errors.read())


def _serve(requests):
    from migrate.pipeline.run import run_source
    from migrate.settings import Settings
    from tests.codemod.programs import program

    assert run_source(program().encode(), "program.py", Settings()).changes  # imports what rewriting needs
    while True:
        request, streams, _, _ = socket.recv_fds(requests, _LARGEST, 3)
        if not request:
            return
        pid = os.fork()
        if not pid:
            requests.close()
            _become(streams, *json.loads(request))
            return
        for stream in streams:
            os.close(stream)
        requests.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def _become(streams, module, arguments, cwd, env):
    """Is what ``python -m MODULE`` would be; its end is that of the whole process."""
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that its Ctrl-C is a signal
    how = {"encoding": "utf-8", "closefd": False}  # a terminal stays open until the process ends
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, buffering=1 if os.isatty(number) else -1, errors=errors, **how)  # noqa: SIM115
        for number, (mode, errors) in enumerate([("r", "strict"), ("w", "strict"), ("w", "backslashreplace")])
    )
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    del sys.path[0]  # this folder, whose modules are not for import by their bare names
    _serve(socket.socket(fileno=int(sys.argv[1])))
