"""The command by which the user started the tool, for messages that name a command."""

import os
import sys

SCRIPT = "estimator-migrate"
"""The installed script. A project may have its own ``migrate.py``, which ``python -m migrate`` would run there."""


def program() -> str:
    """Returns the command by which the user started the tool: ``estimator-migrate`` or ``python -m migrate``."""
    directory, name = os.path.split(sys.argv[0])
    return "python -m migrate" if name == "__main__.py" and os.path.basename(directory) == "migrate" else SCRIPT
