"""Imports TensorFlow once, and forks a process for each program that is to be started with it.

usage: python nursery.py SOCKET SIZE [recording]

A request on the socket is its size in SIZE bytes and then JSON. With ``recording`` the recorder is loaded.

TensorFlow does nothing before its first operation, so a forked process behaves as if the program had imported it, and
a SIGKILL ends it like any other. ``migrate/verify/nursery.py`` has the other end of the socket.
"""

import contextlib
import gc
import json
import os
import random
import runpy
import socket
import sys
import tempfile

import bootstrap


def serve(requests, size, recording):
    """Forks a keeper, which forks the program, for each request until the socket is closed."""
    receive = socket.recv_fds  # from Python 3.9 on
    del sys.path[0]
    session = bootstrap.load_recorder()
    from _migrate_recording import guard, watched_modules, wrapping

    if recording:
        guard.watch_python([tempfile.gettempdir()])
        wrapping.watch(watched_modules.MODULES)
    before = dict(os.environ)
    import tensorflow as tf

    tensorflow_env = {name: value for name, value in os.environ.items() if before.get(name) != value}
    tf.keras.Sequential  # noqa: B018  Keras is imported at its first use
    if hasattr(tf, "estimator"):
        tf.estimator.RunConfig  # noqa: B018
    requests.sendall(json.dumps({"version": tf.__version__, "file": tf.__file__}).encode() + b"\n")
    session.die_with_parent()
    # Exclude TensorFlow's objects from each program's garbage collection, which took 1.3 s at its end.
    gc.collect()
    gc.freeze()
    while True:
        header, files, _, _ = receive(requests, size, 4)
        # Reap ended programs, so that their CPU time counts as this process's own.
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not header:
            return
        # Read exactly this request: the next one may have arrived already.
        request = requests.recv(int.from_bytes(header, "big"), socket.MSG_WAITALL)
        if not os.fork():
            requests.close()
            fork_program(session, tensorflow_env, json.loads(request), *files)
            return
        for file in files:
            os.close(file)


def fork_program(session, tensorflow_env, request, output, errors, status, kept):
    """Forks the program, sends its exit status, and reaps it when ``kept`` is closed; till then it keeps its number."""
    session.die_with_parent()
    pid = os.fork()
    if not pid:
        os.setsid()
        session.die_with_parent()
        os.write(status, b"%d\n" % os.getpid())
        os.close(status)
        os.close(kept)
        run_command(output, errors, tensorflow_env, **request)
        return
    os.close(output)
    os.close(errors)
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    os.write(status, b"%d\n" % (ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status))
    os.read(kept, 1)
    os.waitpid(pid, 0)
    os._exit(0)


def run_command(output, errors, tensorflow_env, command, env, cwd):
    """Turns this process into ``python COMMAND``, with the variables that TensorFlow sets while it is imported."""
    for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), output, errors)):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    os.environ.clear()
    os.environ.update({**env, **tensorflow_env})
    os.chdir(cwd)
    tempfile.tempdir = None
    random.seed()
    sys.modules["numpy"].random.seed()
    paths = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:0] = ["", *(path for path in paths if path not in sys.path)]
    sys.argv = [*command]
    if os.path.realpath(command[0]) == os.path.realpath(bootstrap.__file__):
        bootstrap.main(watching=True)
    elif command[0] == "-c":
        del sys.argv[1]
        exec(compile(command[1], "<string>", "exec"), {"__name__": "__main__"})
    elif command[0] == "-m":
        del sys.argv[0]
        sys.path[0] = cwd
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(command[0]))
        runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), sys.argv[3:] == ["recording"])
