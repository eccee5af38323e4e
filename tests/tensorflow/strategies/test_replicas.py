"""What several replicas of a model_fn do not carry over is refused where the program starts."""

import subprocess
import sys
from pathlib import Path

from tests import nursery
from tests.pairs import ROOT

PROGRAM = Path(__file__).parent / "programs" / "refused_replicas.py"


def test_each_refusal_says_what_is_not_carried_over():
    environment = {"PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    command = [sys.executable, str(PROGRAM)]
    process = nursery.launch(command, environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    printed, problems = process.communicate()
    assert process.returncode == 0, problems
    assert [line.partition(" <")[0] for line in printed.splitlines()] == [
        "A Scaffold is not carried over to several replicas.",
        "seen is no mean over the replicas.",
        "Only a MirroredStrategy trains here, not",
    ]
