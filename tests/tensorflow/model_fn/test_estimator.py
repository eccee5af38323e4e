"""The object that stands for an Estimator does what the Estimator of TensorFlow 2.15 does, behaviour by behaviour."""

import json
import re
import sys

import pytest

from tests.kept_runs import kept_run

from .conftest import PROGRAMS, run

PROGRAM = PROGRAMS / "estimator_behaviours.py"
NAMES = re.findall(r"@behaviour\ndef (\w+)", PROGRAM.read_text())


def outcomes(text):
    return dict(json.loads(line) for line in text.splitlines())


@pytest.fixture(scope="module")
def measured(old_python):
    """What the Estimator did, by behaviour."""

    def make(directory):
        (directory / "told").write_text(run(old_python, PROGRAM.name, "old"))

    return outcomes((kept_run("behaviours", [PROGRAM], make) / "told").read_text())


@pytest.fixture(scope="module")
def shown():
    """What the object does, by behaviour."""
    return outcomes(run(sys.executable, PROGRAM.name, "new"))


@pytest.mark.parametrize("name", NAMES)
def test_as_an_estimator_it(name, measured, shown):
    assert shown[name] == measured[name]
