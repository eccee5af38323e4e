"""Writes the events, each at once as a line of JSON, so that a SIGKILL loses none."""

import contextlib
import json
import os
import threading
import time

_file = None
_process = 0
_lock = threading.RLock()
_encode = json.JSONEncoder(default=str).encode


def open_at(path):
    """Opens the log at ``path`` to append to it."""
    global _file, _process
    _file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    _process = os.getpid()


@contextlib.contextmanager
def contain_errors(what):
    """Logs an error of the recorder, so that it does not reach the program."""
    try:
        yield
    except Exception as error:
        write("unseen", what=what, reason=f"{type(error).__name__}: {error}"[:500])


def write(event, **fields):
    """Appends one event with the time in seconds since the epoch; a forked child of the program writes nothing."""
    if _file is None or os.getpid() != _process:
        return
    line = (_encode(dict(fields, event=event, time=time.time())) + "\n").encode()
    with _lock:
        os.write(_file, line)
