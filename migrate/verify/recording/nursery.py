"""Import TensorFlow once, and fork a process for each program that is to be started with it.

usage: python nursery.py SOCKET SIZE [recording]

A request of the socket is JSON, after its own size in SIZE bytes. With ``recording`` the recorder is in place.

TensorFlow does nothing before its first operation, so the forked process is what the program would have made of itself,
and a SIGKILL ends it as any other. ``migrate/verify/nursery.py`` holds the other end of the socket.
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
    """Fork a keeper with a program for each request, until nobody can ask any more."""
    receive = socket.recv_fds  # from Python 3.9 on
    del sys.path[0]
    session = bootstrap.load_recorder()
    from _migrate_recording import guard, watched_modules, wrapping

    if recording:
        guard.watch_python([tempfile.gettempdir()])
        wrapping.watch(watched_modules.MODULES)
    before = dict(os.environ)
    import tensorflow as tf

    its_own = {name: value for name, value in os.environ.items() if before.get(name) != value}
    tf.keras.Sequential  # noqa: B018  Keras is imported at its first use
    if hasattr(tf, "estimator"):
        tf.estimator.RunConfig  # noqa: B018
    requests.sendall(json.dumps({"version": tf.__version__, "file": tf.__file__}).encode() + b"\n")
    session.die_with_parent()
    # No program, not even at its end, looks through what the import has made: that took it 1.3 s.
    gc.collect()
    gc.freeze()
    while True:
        header, files, _, _ = receive(requests, size, 4)
        # Reaped here, the time that programs took counts as the asker's own.
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not header:
            return
        # Not a byte more: the next request may be there already.
        request = requests.recv(int.from_bytes(header, "big"), socket.MSG_WAITALL)
        if not os.fork():
            requests.close()
            keep(session, its_own, json.loads(request), *files)
            return
        for file in files:
            os.close(file)


def keep(session, its_own, request, output, errors, status, kept):
    """Fork the program, tell its exit status, and reap it when that has been read: until then it keeps its number."""
    session.die_with_parent()
    pid = os.fork()
    if not pid:
        os.setsid()
        session.die_with_parent()
        os.write(status, b"%d\n" % os.getpid())
        os.close(status)
        os.close(kept)
        become(output, errors, its_own, **request)
        return
    os.close(output)
    os.close(errors)
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    os.write(status, b"%d\n" % (ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status))
    os.read(kept, 1)
    os.waitpid(pid, 0)
    os._exit(0)


def become(output, errors, its_own, command, env, cwd):
    """Be what ``python`` makes of the command, with the variables that TensorFlow sets while it is imported."""
    for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), output, errors)):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    os.environ.clear()
    os.environ.update({**env, **its_own})
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
