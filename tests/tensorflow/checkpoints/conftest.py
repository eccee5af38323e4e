import os
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = Path(__file__).parent / "programs" / "train_estimators.py"


@pytest.fixture(scope="session")
def estimators(tmp_path_factory):
    """The directory of what real estimators saved, evaluated and predicted, on TensorFlow 2.15."""
    directory = tmp_path_factory.mktemp("estimators")
    old = os.environ.get("MIGRATE_OLD_PYTHON", sys.executable)
    settings = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
    subprocess.run([old, TRAIN, directory], env=settings, check=True, capture_output=True, text=True)
    return directory
