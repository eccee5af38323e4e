"""An Estimator under a strategy of two replicas, and what becomes of it, train the same numbers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from migrate.pipeline.run import run as codemod
from migrate.settings import Settings
from tests.pairs import ROOT, put

PROGRAM = Path(__file__).parent / "programs" / "two_replicas.py"
OLD_PYTHON = os.environ.get("MIGRATE_OLD_PYTHON", sys.executable)
BEGUN, END = 3, 9


def start(python, *arguments):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    if python == OLD_PYTHON:
        env.pop("TF_USE_LEGACY_KERAS", None)
    ended = subprocess.run([python, *map(str, arguments)], env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    printed = ended.stdout.splitlines()
    pairs = (part.split("=") for part in printed[-1].split()) if printed and "=" in printed[-1] else ()
    return {name: float(value) for name, value in pairs}


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    """What both programs say at the end, and the directories in which they saved."""
    folder = tmp_path_factory.mktemp("two_replicas")
    old, new = folder / "old.py", folder / "migrated" / "old.py"
    old.write_text(PROGRAM.read_text())
    put(codemod([str(old)], Settings(), jobs=1, progress=None).changes, folder, new.parent)
    assert "train_distribute=strategy" in new.read_text()

    start(OLD_PYTHON, old, folder / "old", BEGUN)
    shutil.copytree(folder / "old", folder / "new")
    said = start(OLD_PYTHON, old, folder / "old", END), start(sys.executable, new, folder / "new", END)
    return said, folder / "old", folder / "new"


def test_the_migrated_program_goes_on_with_the_same_weights_and_slots(ends):
    _, old, new = ends
    before, after = tf.train.load_checkpoint(str(old)), tf.train.load_checkpoint(str(new))
    names = before.get_variable_to_shape_map()
    assert after.get_variable_to_shape_map().keys() == names.keys()
    for name in names:
        np.testing.assert_allclose(after.get_tensor(name), before.get_tensor(name), rtol=1e-4, atol=1e-6)


def test_the_metrics_are_those_of_the_estimator(ends):
    (old, new), *_ = ends
    assert old["global_step"] == new["global_step"] == END
    for name in ("accuracy", "average_loss", "loss"):
        assert new[name] == pytest.approx(old[name], rel=1e-4), name
