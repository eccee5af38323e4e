"""The pieces keep their promises under TF_USE_LEGACY_KERAS=1, too; all of them with the Keras 2 of TensorFlow 2.15."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf

PIECES = ("backup_and_restore", "checkpoint_recovery", "fit_on_workers", "keras_export", "predictions", "training_log")


@pytest.mark.skipif(tf.keras.__name__.startswith("keras.api._v2"), reason="Keras 2 is the only Keras here")
def test_what_goes_on_goes_on_with_tf_keras():
    files = [Path(__file__).with_name(f"test_{piece}.py") for piece in PIECES]
    command = [sys.executable, "-m", "pytest", "-q", *files, "-k", "not backup_and_restore or goes_on or go_on"]
    result = subprocess.run(
        command, env={**os.environ, "TF_USE_LEGACY_KERAS": "1"}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout
