"""``python -m migrate``, and the script ``estimator-migrate``."""

import os
import sys

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if sys.path and os.path.abspath(sys.path[0]) == os.getcwd() != _FOLDER:
    del sys.path[0]  # the user's signal.py is no module of ours, which runs beside their files


def main() -> int:
    """Runs the command line; Ctrl-C is answered by one line also while its modules are imported."""
    try:
        from migrate.cli.main import main as command_line
    except KeyboardInterrupt:
        print("Interrupted: no file was changed.", file=sys.stderr)
        return 130
    return command_line()


if __name__ == "__main__":
    sys.exit(main())
