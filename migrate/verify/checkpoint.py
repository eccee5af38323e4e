"""A checkpoint's variables, read by the program's own TensorFlow in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from migrate.verify.program import Program
from migrate.verify.variables import Variables

READER = Path(__file__).parent / "checkpoint_reader.py"


def read_variables(program: Program, model_dir: Path) -> Variables:
    """The variables of the newest checkpoint in ``model_dir``; empty where there is none that TensorFlow can read."""
    process = program.launch(
        [os.fspath(program.python), os.fspath(READER), os.fspath(model_dir)],
        env=program.environment(model_dir),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        output, _ = process.communicate()
    finally:
        process.kill()
    if process.returncode != 0:
        return {}
    found: Variables = json.loads(output)
    return found
