"""``python -m migrate``, and the script ``estimator-migrate``."""

import os
import sys
from contextlib import suppress
from typing import NoReturn

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if sys.path and os.path.abspath(sys.path[0]) == os.getcwd() != _FOLDER:
    del sys.path[0]  # the user's signal.py is no module of ours, which runs beside their files


def main() -> NoReturn:
    """Runs the command line and ends; Ctrl-C is answered by one line also while its modules are imported."""
    try:
        from migrate.cli.main import main as command_line
    except KeyboardInterrupt:
        print("Interrupted: no file was changed.", file=sys.stderr)
        code = 130
    else:
        code = command_line()
    # The system takes the memory back at once; Python would take apart all that it knows of files, an eighth of a run.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, AttributeError, ValueError):  # closed, or never open
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
