"""Confines a program to the directories of its run: stops changes outside before they happen.

Three layers check, from the one with the best message to the one that misses nothing: the saves and restores that the
recorder sees, the file functions of Python and TensorFlow, and the kernel (``landlock``).
"""

import errno
import functools
import linecache
import os
import sys

from . import event_log, landlock

DEVICES = ("/dev", "/proc")
"""Directories whose files are no data on a disk, so that writes are allowed."""

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS = {
    "os.remove": ("delete", ((0, 1),)),
    "os.rmdir": ("delete", ((0, 1),)),
    "os.rename": ("rename", ((0, 2), (1, 3))),
    "os.mkdir": ("make the directory", ((0, 2),)),
    "os.truncate": ("write to", ((0, -1),)),
    "os.link": ("write to", ((1, 3),)),
    "os.symlink": ("write to", ((1, 2),)),
    "os.chmod": ("change", ((0, 2),)),
    "os.chown": ("change", ((0, 3),)),
    "os.utime": ("change", ((0, 3),)),
}
"""Audit event of Python -> its action, and the indices of each path and of the directory it is relative to."""

_TENSORFLOW_FUNCTIONS = {
    "DeleteFile": ("delete", (0,)),
    "DeleteRecursively": ("delete", (0,)),
    "RenameFile": ("rename", (0, 1)),
    "CopyFile": ("write to", (1,)),
    "CreateDir": ("make the directory", (0,)),
    "RecursivelyCreateDir": ("make the directory", (0,)),
    "WriteStringToFile": ("write to", (0,)),
    "WritableFile": ("write to", (0,)),
    "CreateWritableFile": ("write to", (0,)),
    "EventsWriter": ("write to", (0,)),
}
"""Function -> its action, and which of its arguments are paths."""

_writable = None
_readable = ()
_hooked = False


class Outside(PermissionError):
    """Raised in the program for an action outside of the directories of its run."""


def confine(inside, readable, above):
    """Confines this process and the processes that it starts from now on.

    Args:
      inside: the directories that it may change; they exist.
      readable: prefixes of the paths of other checkpoints that it may restore.
      above: directories in which it may remove one of ``inside`` and make it again.
    """
    global _readable
    watch_python(inside)
    _readable = tuple(map(os.path.realpath, readable))
    landlock.restrict(_writable or (), above, DEVICES)


def watch_python(inside):
    """Confines Python's own functions, from Python 3.8 on."""
    global _writable, _hooked
    _writable = tuple(map(os.path.realpath, inside))
    if not _hooked and hasattr(sys, "addaudithook"):
        sys.addaudithook(_audit)
    _hooked = True


def watch_tensorflow(module):
    """Makes TensorFlow's file functions in this module, which gfile and event writers use, check their paths first."""
    for name, (what, places) in _TENSORFLOW_FUNCTIONS.items():
        if hasattr(module, name):
            setattr(module, name, _guard_call(getattr(module, name), what, places))


def _guard_call(original, what, places):
    @functools.wraps(original, updated=())
    def guarded(*arguments, **named):
        for at in places:
            path = arguments[at] if at < len(arguments) else None
            if what != "make the directory" or path is None or not os.path.isdir(path):
                check(what, path)
        return original(*arguments, **named)

    return guarded


def check_restore(path):
    """Raises ``Outside`` for a restore from outside, unless the program's command line names the path."""
    text = _text(path)
    if text is not None and not _absolute(text, True).startswith(_readable or "\0"):
        check("restore from", path, follows=False)


def check(what, path, directory=-1, follows=True):
    """Records and raises ``Outside`` if ``path`` is outside.

    Args:
      what: the action, as a verb to put before the path.
      directory: the descriptor of the directory that the path is relative to; negative for the working directory.
      follows: whether the action follows a symbolic link at the path.
    """
    text = _text(path)
    if _writable is None or text is None or not text:
        return
    if directory >= 0 and not os.path.isabs(text):
        text = os.path.join(os.readlink(f"/proc/self/fd/{directory}"), text)
    here = _absolute(text, follows)
    if any(here == each or here.startswith(each + os.sep) for each in (*_writable, *DEVICES)):
        return
    at = program_place(_stack(sys._getframe()))
    event_log.write("stopped", what=what, path=here, place=at)
    raise Outside(errno.EACCES, "verify stopped this: the path is outside of the run's directory", here)


def program_place(lines):
    """Returns ``path:line`` of the first of ``lines`` in the program itself, else of the first in its runtime files."""
    generated = ""
    for file, line in lines:
        if not file.startswith(_NOT_OWN) and "site-packages" not in file and "dist-packages" not in file:
            if "estimator-migrate" not in linecache.getline(file, 1):
                return f"{file}:{line}"
            generated = generated or f"{file}:{line}"
    return generated


def _stack(frame):
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


_NOT_OWN = ("<", os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.__file__))


def _audit(event, arguments):
    if event == "open":
        path, _, flags = arguments
        if isinstance(flags, int) and flags & WRITING:
            check("write to", path)
    elif event in _PATHS:
        what, places = _PATHS[event]
        for at, directory in places:
            text = _text(arguments[at])
            relative = arguments[directory] if directory >= 0 else -1
            if text is not None and _changes_something(event, text, relative):
                check(what, text, relative, follows=False)


def _changes_something(event, path, directory):
    """Whether the action would change something: it does not make an existing directory or delete an absent file."""
    if directory >= 0:
        return True
    if event == "os.mkdir":
        return not os.path.isdir(path)
    return event not in ("os.remove", "os.rmdir") or os.path.lexists(path)


def _text(path):
    try:
        return os.fsdecode(path)
    except TypeError:
        return None


def _absolute(path, follows):
    """Returns the absolute path with symbolic links resolved, the last one only if ``follows``; a URL unchanged."""
    if path.startswith("file://"):
        path = path[len("file://") :]
    if "://" in path:
        return path
    if follows:
        return os.path.realpath(path)
    directory, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(directory), name)
