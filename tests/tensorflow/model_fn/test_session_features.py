"""What only a session carries natively leaves the same variables, files and events as under an Estimator."""

import json
import sys

import pytest

from tests.kept_runs import kept_run

from .conftest import PROGRAMS, run

PROGRAM = PROGRAMS / "session_features.py"


def outcomes(text):
    return dict(json.loads(line) for line in text.splitlines())


@pytest.fixture(scope="module")
def measured(old_python):
    """What the Estimator left, by feature."""

    def make(directory):
        (directory / "told").write_text(run(old_python, PROGRAM.name, "old"))

    return outcomes((kept_run("session_features", [PROGRAM], make) / "told").read_text())


def test_every_feature_leaves_what_it_left_under_an_estimator(measured):
    shown = outcomes(run(sys.executable, PROGRAM.name, "new"))
    assert len(measured) >= 38
    assert len(shown) >= 37
    assert all(len(one) == 3 for one in measured.values()), "a feature failed under the Estimator"
    assert {name: one for name, one in shown.items() if one != measured[name]} == {}
