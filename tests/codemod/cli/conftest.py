"""The command line run on a project as a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import migrate


@pytest.fixture
def environment():
    """The environment of a process that finds this package and says nothing about colour."""
    names = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return {**kept, "PYTHONPATH": str(Path(migrate.__file__).parents[1]), "TERM": "xterm-256color"}


@pytest.fixture
def command(project, environment):
    """Runs ``python -m migrate``, or other ``code``, as a process of its own in the project."""

    def run(*arguments, code=None, **options):
        given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        return subprocess.run(
            [sys.executable, *(("-m", "migrate") if code is None else ("-c", code)), *arguments],
            cwd=project,
            env=environment,
            check=False,
            **given,  # type: ignore[call-overload]
        )

    return run
