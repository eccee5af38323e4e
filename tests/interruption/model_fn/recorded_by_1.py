"""Records what TensorFlow 1.15.5's own Estimator makes of ``sequence_to_sequence.py``.

usage: MIGRATE_ONE_PYTHON=PYTHON python -m tests.interruption.model_fn.recorded_by_1

PYTHON is a Python 3.7 with TensorFlow 1.15.5. Writes ``sequence_to_sequence.json``: the losses by step, the variables
at the end, and what the program printed last.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from tests.pairs import LEGACY

RECORDED = Path(__file__).with_name("sequence_to_sequence.json")
PROGRAM = LEGACY / "contrib" / "sequence_to_sequence.py"
LAST = 2
"""How many lines the program prints at its end: sentences."""


def told(directory, printed):
    """What a run left and printed, as JSON has it."""
    from .conftest import final_variables, losses

    variables = {name: value.astype(str).astype(float).tolist() for name, value in final_variables(directory).items()}
    by_step = {str(step): loss for step, loss in losses(directory).items()}
    return {"losses": by_step, "variables": variables, "printed": printed[-LAST:]}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        command = [os.environ["MIGRATE_ONE_PYTHON"], str(PROGRAM), "--model_dir", folder]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        RECORDED.write_text(json.dumps(told(folder, output.splitlines())) + "\n", encoding="utf-8")
