"""The object that stands for an Estimator does what the Estimator of TensorFlow 2.15 does, behaviour by behaviour.

What only a session carries natively leaves the same variables, files and events.
"""

import json
import re
import sys

import pytest

from tests.kept_runs import kept_run

from .conftest import PROGRAMS, run

BEHAVIOURS, FEATURES = PROGRAMS / "estimator_behaviours.py", PROGRAMS / "session_features.py"
NAMES = re.findall(r"(?m)^def (\w+)\(model_dir\):", BEHAVIOURS.read_text())


def outcomes(text):
    return dict(json.loads(line) for line in text.splitlines())


@pytest.fixture(scope="module")
def measured(old_python):
    """A function that gives what the Estimator did under a program, by the names that it prints."""

    def of_program(program):
        def make(directory):
            (directory / "told").write_text(run(old_python, program.name, "old"))

        return outcomes((kept_run(program.stem, [program], make) / "told").read_text())

    return of_program


@pytest.fixture(scope="module")
def shown():
    """What the object does, by behaviour."""
    return outcomes(run(sys.executable, BEHAVIOURS.name, "new"))


@pytest.mark.parametrize("name", NAMES)
def test_as_an_estimator_it(name, measured, shown):
    assert shown[name] == measured(BEHAVIOURS)[name]


def test_every_behaviour_is_shown(measured, shown):
    assert [*shown] == [*measured(BEHAVIOURS)] == NAMES


def test_every_feature_leaves_what_it_left_under_an_estimator(measured):
    under_estimator, shown = measured(FEATURES), outcomes(run(sys.executable, FEATURES.name, "new"))
    assert len(under_estimator) >= 40
    assert len(shown) >= 39
    assert all(len(one) == 3 for one in under_estimator.values()), "a feature failed under the Estimator"
    assert {name: one for name, one in shown.items() if one != under_estimator[name]} == {}
