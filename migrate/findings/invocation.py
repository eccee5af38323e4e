"""How the user started the tool, for the commands that messages name."""

import os
import sys

SCRIPT = "estimator-migrate"
"""The installed script. A project may hold a ``migrate.py`` of its own, which ``python -m migrate`` would run there."""


def program() -> str:
    """The tool as the user started it: ``estimator-migrate``, or ``python -m migrate``."""
    directory, name = os.path.split(sys.argv[0])
    return "python -m migrate" if name == "__main__.py" and os.path.basename(directory) == "migrate" else SCRIPT
