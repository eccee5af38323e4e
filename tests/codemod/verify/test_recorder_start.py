"""The recorder does not stop a program whose TensorFlow is made otherwise than those it knows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import migrate

BOOTSTRAP = Path(migrate.__file__).parent / "verify" / "recording" / "bootstrap.py"


def test_a_class_that_is_not_there_is_told_and_the_program_goes_on(tmp_path):
    module = tmp_path / "tensorflow" / "python" / "eager" / "backprop.py"
    module.parent.mkdir(parents=True)
    for package in (module.parent, *list(module.parents)[1:3]):
        (package / "__init__.py").touch()
    module.write_text("class Tape: pass\n")
    program, events = tmp_path / "program.py", tmp_path / "events.jsonl"
    program.write_text("from tensorflow.python.eager import backprop\nprint(backprop.Tape.__name__)\n")
    environment = {**os.environ, "MIGRATE_VERIFY_EVENTS": str(events)}
    done = subprocess.run(
        [sys.executable, BOOTSTRAP, program], env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout == "Tape\n"
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert [(one["what"], one["reason"].split(":")[0]) for one in told if one["event"] == "unseen"] == [
        ("tensorflow.python.eager.backprop", "AttributeError")
    ]
