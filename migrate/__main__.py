"""``python -m migrate``, and the script ``estimator-migrate``."""

import os
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if sys.path and os.path.abspath(sys.path[0]) == os.getcwd() != _FOLDER:
    del sys.path[0]  # so that the user's signal.py does not hide Python's module

import signal  # noqa: E402


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Raises KeyboardInterrupt once no import runs: Python may drop one raised in an import, and block all imports."""
    while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    if frame is None:
        raise KeyboardInterrupt
    signal.setitimer(signal.ITIMER_REAL, 0.01)  # calls this again


def main() -> NoReturn:
    """Runs the command line and exits; Ctrl-C prints one line, also while modules are imported."""
    if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        for number in (signal.SIGINT, signal.SIGALRM):
            signal.signal(number, _interrupt)
    try:
        from migrate.cli.main import main as command_line

        code = command_line()
    except KeyboardInterrupt:
        print("Interrupted: no file was changed.", file=sys.stderr)
        code = 130
    # A normal exit would free all objects one by one, which takes an eighth of the run's time.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, AttributeError, ValueError):  # it is closed, or was never open
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
