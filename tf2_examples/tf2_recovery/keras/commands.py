# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 7521656a17f8568b).
"""Tells the command of this process, by which a start resumes a training or not."""

import contextlib
import multiprocessing
import os
import platform
import re
import sys
import zlib

_INSTALLED = re.compile(
    rf"(site|dist)-packages|__autograph|^{re.escape(os.path.dirname(os.__file__))}"
)
_LARGEST = 2**20  # Larger files are data.


def is_notebook():
    """Returns whether this process runs the cells of a notebook."""
    main = vars(sys.modules["__main__"])
    return "In" in main and "__file__" not in main


def command_of_process():
    """Returns a dict of arguments, or a notebook's cells, and files; None at a prompt.

    The files are source that is not installed, and texts that the arguments name. Their
    paths are relative to the program's folder, each with its CRC-32.
    """
    main, given = sys.modules["__main__"], []
    path, run = getattr(main, "__file__", None), getattr(main, "In", None)
    if path is not None:
        run = [os.path.basename(path), *sys.argv[1:]]
        given = [os.path.abspath(one.rpartition("=")[2]) for one in run[1:]]
    if run is None:
        return None
    files = [getattr(one, "__file__", None) or "" for one in [*sys.modules.values()]]
    files = [one for one in map(os.path.abspath, files) if not _INSTALLED.search(one)]
    folder = _folder()
    files = {os.path.relpath(one, folder): _crc_of(one) for one in {*files, *given}}
    files = {one: crc for one, crc in files.items() if crc is not None}
    process = multiprocessing.current_process().name  # Such as the one of each fold.
    return {"run": [process, *run], "files": files}


def is_same_command(noted, command):
    """Returns whether a noted command has these arguments, and its files are the same."""
    if not noted or not command or noted["run"] != command["run"]:
        return False
    folder = _folder()
    now = (_crc_of(os.path.join(folder, one)) for one in noted["files"])
    return [*now] == [*noted["files"].values()]


def process_of(pid):
    """Returns the host, the id and the time of start of a process; None if it is gone."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/stat") as file:
            state, *found = file.read().rpartition(")")[2].split()
        return (platform.node(), pid, found[18]) if state != "Z" else None
    return None


def _folder():
    return os.path.dirname(
        os.path.abspath(getattr(sys.modules["__main__"], "__file__", "notebook"))
    )


def _crc_of(path):
    """Returns the CRC-32 of a small text file; None for any other, and for a log."""
    if (
        path.endswith(".log")
        or not os.path.isfile(path)
        or os.path.getsize(path) > _LARGEST
    ):
        return None
    with open(path, "rb") as file:
        content = file.read()
    return None if b"\0" in content else zlib.crc32(content)
