"""What a run left, such as a checkpoint's variables, read by the program's own TensorFlow in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from migrate.verify import child
from migrate.verify.program import Program
from migrate.verify.variables import Variables

READER = Path(__file__).parent / "checkpoint_reader.py"


def read_variables(program: Program, model_dir: Path) -> Variables:
    """The variables of the newest checkpoint in ``model_dir``; empty where there is none that TensorFlow can read."""
    found: Variables = printed(program, model_dir, READER)
    return found


def printed(program: Program, model_dir: Path, reader: Path) -> dict[str, Any]:
    """What a script prints of ``model_dir`` as JSON under the program's interpreter; empty where it fails."""
    command = [os.fspath(program.python), os.fspath(reader), os.fspath(model_dir)]
    started = child.begin(program.launch, command, env=program.environment(model_dir), stderr=subprocess.DEVNULL)
    try:
        output, _ = started.communicate()
    finally:
        child.end(started)
    found: dict[str, Any] = json.loads(output) if started.returncode == 0 else {}
    return found
