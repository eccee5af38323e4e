# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 6c9423b4a9e5b596).
"""Tells the command of this process, by which a start resumes a training or not."""

import contextlib
import datetime
import functools
import glob
import multiprocessing
import os
import platform
import re
import sys
import time
import zlib
from dataclasses import is_dataclass

import numpy as np

from .saved_states import pickled

_INSTALLED = re.compile(
    r"(site|dist)-packages|__autograph|[/\\]\.recovery[/\\]|^"
    + re.escape(os.path.dirname(os.__file__))
)
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LARGEST, _MOST_FILES, _MOST_READ = 2**20, 10**4, 100  # Larger or more are data.
_questions = []  # That the program has asked its user.
files_read, files_written = {}, {}  # Of this process, by their paths.
_ANSWERS = re.compile(r"^[^#\n]*sys\.stdin\b(?!\s*=)", re.MULTILINE)
_OF_SESSION = re.compile(  # Variables that a scheduler, or a login, sets anew.
    r"SLURM_(?!ARRAY_TASK).*|PBS_(?!ARRAY).*|LSB_(?!JOBINDEX).*|SSH_.*|(COLAB|POD)_.*"
    r"|(LD_LIBRARY_|LIBRARY_|MAN|PYTHON)?PATH|HOST(NAME)?|TE?MP(DIR)?|TERM|DISPLAY|JOB_ID"
    r"|LOGNAME|(OLD)?PWD|CUDA_.*|_"
)
_SETTINGS = "*.y*ml", "*.toml", "*.ini", "*.cfg", "config*.json*", "conf/*", "config*/*"


def _note_event(event, details):
    if event == "builtins.input":
        _questions.append(event)
    elif event in ("open", "os.rename"):
        with contextlib.suppress(Exception):  # The program's open would raise it.
            is_read = event == "open" and not details[2] & os.O_ACCMODE
            found = files_read if is_read else files_written
            if len(found) < _MOST_FILES:
                name = details[0 if event == "open" else 1]
                found[os.path.abspath(os.fsdecode(name))] = None


sys.addaudithook(_note_event)


def modules_of_program():
    """Returns the modules that are not installed, a list; of a notebook its cells."""
    found = [(one, getattr(one, "__file__", None)) for one in [*sys.modules.values()]]
    main = [sys.modules["__main__"]] if is_notebook() else []
    return main + [one for one, path in found if path and _is_of_program(path)]


@functools.cache  # TensorFlow imports thousands of modules.
def _is_of_program(path):
    path = os.path.abspath(path)
    return not path.startswith(_OWN) and not _INSTALLED.search(path)


def is_interactive():
    """Returns whether this process goes on when a program ends, as IPython does."""
    return "In" in vars(sys.modules["__main__"])


def is_notebook():
    """Returns whether this process runs the cells of a notebook."""
    return is_interactive() and "__file__" not in vars(sys.modules["__main__"])


def command_of_process():
    """Returns a dict of arguments, or a notebook's cells, files, and variables.

    The files are source that is not installed, settings beside the program, texts that
    the arguments name or that it has read, but none that it has written, each with its
    CRC-32; the variables are those that the source names. None at Python's prompt, and
    for a program that has asked its user.
    """
    main, given = sys.modules["__main__"], []
    path, run = getattr(main, "__file__", None), getattr(main, "In", None)
    if path is not None:
        run = [os.path.basename(path), *sys.argv[1:]]
        given = [os.path.abspath(one.rpartition("=")[2]) for one in run[1:]]
        own = glob.escape(_folder())
        given += [path for one in _SETTINGS for path in glob.glob(f"{own}/{one}")]
        inside = _folder() + os.sep, os.getcwd() + os.sep
        read = [one for one in files_read if one.startswith(inside)]
        given += [one for one in read if not _INSTALLED.search(one)][:_MOST_READ]
        given = [one for one in given if one not in files_written]
    if run is None:
        return None
    found = [getattr(one, "__file__", None) for one in modules_of_program()]
    found = [os.path.abspath(one) for one in found if one]
    texts, folder = {one: _text_of(one) for one in {*found, *given}}, _folder()
    source = b"\n".join(texts[one] for one in found).decode(errors="replace")
    if _questions or _ANSWERS.search(source):
        return None
    process = multiprocessing.current_process().name  # Such as the one of each fold.
    crcs = {name: zlib.crc32(text) for name, text in texts.items() if text}
    files = {os.path.relpath(name, folder): crc for name, crc in crcs.items()}
    words = {*re.findall(r"""["'](\w+)["']""", source)} & {*os.environ}
    words -= {*re.findall(r"""environ\[["'](\w+)["']\] *=[^=]""", source)}
    variables = {n: os.environ[n] for n in words if not _OF_SESSION.fullmatch(n)}
    return {"run": [process, *run], "files": files, "variables": variables}


def note_written(command):
    """Notes which files of a command this process has written since it began."""
    if command is None:
        return
    paths = {n: os.path.normpath(os.path.join(_folder(), n)) for n in command["files"]}
    own = {name for name, path in paths.items() if path in files_written}
    command["written"] = own.union(command.get("written", ()))


def difference_of(noted, command):
    """Returns how this process's command differs from a noted one, "" if it does not."""
    if not noted or not command:
        return "a program that asks its user (input) has no command"
    if noted["run"] != command["run"]:
        return "its arguments, or its cells, were other ones"
    for name in noted["variables"].keys() | command["variables"].keys():
        if noted["variables"].get(name) != os.environ.get(name):
            return f"the environment has another {name}"
    note_written(noted)
    for name in noted["files"].keys() - noted["written"]:
        now = command["files"].get(name)
        if now is None:
            now = zlib.crc32(_text_of(os.path.join(_folder(), name)))
        if now != noted["files"][name]:
            return f"{name} has changed"
    return ""


def values_of_callers():
    """Returns the CRC-32 of each value in the program's frames that may be a setting.

    That is a number, text or path, or a small collection of these; a dict by name.
    """
    found, frame = {}, sys._getframe()
    while frame is not None:
        function = frame.f_code.co_name
        if _is_of_program(frame.f_code.co_filename):
            for name, one in frame.f_locals.items():
                is_space = type(one).__name__ in ("Namespace", "SimpleNamespace")
                one = vars(one) if is_space or is_dataclass(one) else one
                if _is_setting(one) and not is_moment(one):
                    found[function, name] = zlib.crc32(repr(one).encode())
        frame = frame.f_back
    return {key: one for key, one in found.items() if key[1][0] != "_"}


def _is_setting(value):
    if isinstance(value, (dict, list, tuple)):
        return len(value) < 1000 and pickled(value) is not None
    is_small = isinstance(value, np.ndarray) and value.size < 1000
    return is_small or isinstance(value, (int, float, str, os.PathLike, np.generic))


def is_moment(value):
    """Returns whether a value is a time of these days, which is no state."""
    value = value.timestamp() if isinstance(value, datetime.datetime) else value
    return isinstance(value, (int, float)) and abs(value - time.time()) < 10**6


def process_of(pid):
    """Returns the host, the id and the time of start of a process; None if it is gone."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/stat") as file:
            state, *found = file.read().rpartition(")")[2].split()
        return (platform.node(), pid, found[18]) if state != "Z" else None
    return None


def _folder():
    main = getattr(sys.modules["__main__"], "__file__", "notebook")
    return os.path.dirname(os.path.abspath(main))


def _text_of(path):
    """Returns the content of a small text file; b"" for any other."""
    if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
        return b""
    with open(path, "rb") as file:
        content = file.read()
    return b"" if b"\0" in content else content
