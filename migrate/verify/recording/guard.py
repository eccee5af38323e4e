"""Keeps a program inside the directories of its run: what would change anything outside is stopped before it happens.

Three layers, from the most telling to the surest: the saves and restores that the recorder sees, what Python and
TensorFlow's own file functions are asked to do, and the kernel (``landlock``), which nothing in the process can pass.
"""

import errno
import functools
import linecache
import os
import sys

from . import event_log, landlock

DEVICES = ("/dev", "/proc")
"""Where a write is no file's."""

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
"""Of Python's audit events: what is done, and where its paths and the descriptors stand that they are relative to."""

_OF_TENSORFLOW = {
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
"""What each does, and which of its arguments are paths."""

_inside = None
_readable = ()
_hooked = False


class Outside(PermissionError):
    """What the program was about to do outside of the directories of its run."""


def confine(inside, readable, above):
    """Confine this process, and what it starts from now on.

    Args:
      inside: the directories that it may change, which exist.
      above: directories in which one of these may be removed whole and made anew.
      readable: what the paths of other checkpoints that it may restore begin with.
    """
    global _readable
    watch_python(inside)
    _readable = tuple(map(os.path.realpath, readable))
    landlock.restrict(_inside or (), above, DEVICES)


def watch_python(inside):
    """Confine what Python's own functions change, from Python 3.8 on."""
    global _inside, _hooked
    _inside = tuple(map(os.path.realpath, inside))
    if not _hooked and hasattr(sys, "addaudithook"):
        sys.addaudithook(_audit)
    _hooked = True


def watch_tensorflow(module):
    """Let each of TensorFlow's own file functions that the module has ask first: gfile and event writers use them."""
    for name, (what, places) in _OF_TENSORFLOW.items():
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


def check_save(path):
    """Stop a save outside."""
    check("save to", path, follows=False)


def check_restore(path):
    """Stop a restore from outside, but from what the program was told on its command line."""
    text = _text(path)
    if text is not None and not _absolute(text, True).startswith(_readable or "\0"):
        check("restore from", path, follows=False)


def check(what, path, directory=-1, follows=True):
    """Stop what would be done outside.

    Args:
      what: is done, as a verb before a path.
      directory: the descriptor of the directory that the path is relative to; negative for the process' own.
      follows: whether it is done to what a symbolic link leads to.
    """
    text = _text(path)
    if _inside is None or text is None or not text:
        return
    if directory >= 0 and not os.path.isabs(text):
        text = os.path.join(os.readlink(f"/proc/self/fd/{directory}"), text)
    here = _absolute(text, follows)
    if any(here == each or here.startswith(each + os.sep) for each in (*_inside, *DEVICES)):
        return
    at = place(_stack(sys._getframe()))
    event_log.write("stopped", what=what, path=here, place=at)
    raise Outside(errno.EACCES, "verify stopped this: the path is outside of the run's directory", here)


def place(lines):
    """``path:line`` of the first of some lines that is the program's own, not that of runtime files."""
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
            if text is not None and _is_tried(event, text, relative):
                check(what, text, relative, follows=False)


def _is_tried(event, path, directory):
    """Whether it would come to pass: a directory that is there is not made, nor what is not there deleted."""
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
    """Where a path leads, or stands; a URL as it is."""
    if path.startswith("file://"):
        path = path[len("file://") :]
    if "://" in path:
        return path
    if follows:
        return os.path.realpath(path)
    directory, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(directory), name)
