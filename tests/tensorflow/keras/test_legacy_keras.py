"""The pieces keep their promises under TF_USE_LEGACY_KERAS=1, too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf


@pytest.mark.skipif(tf.keras.__name__.startswith("keras.api._v2"), reason="Keras 2 is the only Keras here")
def test_every_promise_here_holds_on_tf_keras():
    here = Path(__file__)
    command = [sys.executable, "-m", "pytest", "-q", here.parent, f"--ignore={here}"]
    result = subprocess.run(
        command, env={**os.environ, "TF_USE_LEGACY_KERAS": "1"}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout
