import os
from pathlib import Path

import pytest

from tests import nursery
from tests.kept_runs import kept_run, old_python

TRAIN = Path(__file__).parent / "programs" / "train_estimators.py"


@pytest.fixture(scope="session")
def estimators():
    """The directory of what real estimators saved, evaluated and predicted, on TensorFlow 2.15."""
    return kept_run("canned_dnn", [TRAIN], train)


def train(directory):
    settings = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
    done = nursery.run([old_python(), TRAIN, directory], settings)
    assert done.returncode == 0, done.stderr[-3000:]
