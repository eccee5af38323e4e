"""A checkpoint's variables, read by the program's own TensorFlow in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from migrate.verify import child
from migrate.verify.program import Program
from migrate.verify.variables import Variables

READER = Path(__file__).parent / "checkpoint_reader.py"


def read_variables(program: Program, model_dir: Path) -> Variables:
    """The variables of the newest checkpoint in ``model_dir``; empty where there is none that TensorFlow can read."""
    command = [os.fspath(program.python), os.fspath(READER), os.fspath(model_dir)]
    reader = child.begin(program.launch, command, env=program.environment(model_dir), stderr=subprocess.DEVNULL)
    try:
        output, _ = reader.communicate()
    finally:
        child.end(reader)
    if reader.returncode != 0:
        return {}
    found: Variables = json.loads(output)
    return found
