"""One recorded run of a program, from its first line to the way it ended."""

from __future__ import annotations

import contextlib
import ctypes
import json
import signal
import sys
from collections.abc import Iterator

from . import fault, imports, journal, watched

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Ask the kernel to kill this process when the one that started it is gone, so that none is left behind."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


@contextlib.contextmanager
def recorded(events: str, instruction: str, watching: bool = False) -> Iterator[None]:
    """Record what runs inside, and how it ended; an exception goes on to the program's own end.

    Args:
      events: the file that is appended to.
      instruction: the fault as JSON, or nothing.
      watching: whether TensorFlow is imported and watched already, by the process that this one was forked from.
    """
    die_with_parent()
    journal.open_at(events)
    journal.write("program", python=sys.version.split()[0], argv=sys.argv)
    fault.arm(json.loads(instruction) if instruction else {})
    if watching:
        journal.write("tensorflow", version=sys.modules["tensorflow"].__version__)
    else:
        imports.watch(watched.MODULES)
    try:
        yield
    except SystemExit as ending:
        journal.write("end", how="exit", code=ending.code if isinstance(ending.code, int) else int(bool(ending.code)))
        raise
    except BaseException as ending:
        journal.write("exception", type=type(ending).__name__, message=str(ending)[:2000])
        raise
    journal.write("end", how="return", code=0)
