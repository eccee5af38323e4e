"""One recorded run of a program, from its first line to the way it ended."""

import contextlib
import ctypes
import json
import signal
import sys
import traceback

from . import event_log, fault, guard, watched_modules, wrapping

PR_SET_PDEATHSIG = 1


def die_with_parent():
    """Ask the kernel to kill this process when the one that started it is gone, so that none is left behind."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


@contextlib.contextmanager
def record_program(events, instruction, confined="", watching=False):
    """Records what runs inside, and how it ended; an exception reaches the program's own handlers.

    Args:
      instruction: the fault as JSON, or nothing.
      confined: the arguments of ``guard.confine`` as JSON, or nothing.
      watching: whether TensorFlow is imported and watched already, by the process that this one was forked from.
    """
    die_with_parent()
    event_log.open_at(events)
    event_log.write("program", python=sys.version.split()[0], argv=sys.argv)
    if confined:
        guard.confine(**json.loads(confined))
    fault.arm(json.loads(instruction) if instruction else {})
    if watching:
        event_log.write("tensorflow", version=sys.modules["tensorflow"].__version__)
    else:
        wrapping.watch(watched_modules.MODULES)
    try:
        yield
    except SystemExit as ending:
        event_log.write("end", how="exit", code=ending.code if isinstance(ending.code, int) else int(bool(ending.code)))
        raise
    except BaseException as ending:
        at = guard.place(_lines(ending))
        event_log.write("exception", type=type(ending).__name__, message=str(ending)[:2000], place=at)
        raise
    event_log.write("end", how="return", code=0)


def _lines(error):
    """The lines that an exception went through, the innermost first."""
    return ((frame.f_code.co_filename, line) for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]))
