"""``python -m migrate``."""

import os
import sys

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if sys.path and os.path.abspath(sys.path[0]) == os.getcwd() != _FOLDER:
    del sys.path[0]  # the user's signal.py is no module of ours, which runs beside their files

from migrate.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
