"""Records one run of a program from its first line to its end."""

import contextlib
import ctypes
import json
import signal
import sys
import traceback

from . import event_log, fault, guard, watched_modules, wrapping

PR_SET_PDEATHSIG = 1


def die_with_parent():
    """Asks the kernel to kill this process when the process that started it has ended."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


@contextlib.contextmanager
def record_program(events, instruction, confined="", watching=False):
    """Records the block and how it ends; an exception reaches the program's own handlers.

    Args:
      instruction: the fault as JSON; "" for none.
      confined: the arguments of ``guard.confine`` as JSON; "" to confine nothing.
      watching: whether the process that this one was forked from has imported and watched TensorFlow already.
    """
    die_with_parent()
    event_log.open_at(events)
    event_log.write("program", python=sys.version.split()[0], argv=sys.argv)
    if confined:
        guard.confine(**json.loads(confined))
    fault.set_instruction(json.loads(instruction) if instruction else {})
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
        frames = reversed([*traceback.walk_tb(ending.__traceback__)])
        at = guard.program_place((frame.f_code.co_filename, line) for frame, line in frames)
        event_log.write("exception", type=type(ending).__name__, message=str(ending)[:2000], place=at)
        raise
    event_log.write("end", how="return", code=0)
