"""``python -m migrate``, and the script ``estimator-migrate``."""

import os
import sys
from contextlib import suppress
from typing import NoReturn

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if sys.path and os.path.abspath(sys.path[0]) == os.getcwd() != _FOLDER:
    del sys.path[0]  # so that the user's signal.py does not hide Python's module


def main() -> NoReturn:
    """Runs the command line and exits; Ctrl-C prints one line, also while modules are imported."""
    try:
        from migrate.cli.main import main as command_line
    except KeyboardInterrupt:
        print("Interrupted: no file was changed.", file=sys.stderr)
        code = 130
    else:
        code = command_line()
    # A normal exit would free all objects one by one, which takes an eighth of the run's time.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, AttributeError, ValueError):  # it is closed, or was never open
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
