"""A checkpoint's variables, read by the program's own TensorFlow in a process of its own."""

from __future__ import annotations

from pathlib import Path

from migrate.verify import child
from migrate.verify.training_program import Program
from migrate.verify.variables import Variables

READER = Path(__file__).parent / "checkpoint_reader.py"


def read_variables(program: Program, model_dir: Path) -> Variables:
    """The variables of the newest checkpoint in ``model_dir``; empty where there is none that TensorFlow can read."""
    found: Variables = child.printed_json(program, model_dir, READER)
    return found
