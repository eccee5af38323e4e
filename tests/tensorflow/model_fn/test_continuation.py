"""A migrated program continues an Estimator's checkpoint, and its losses are equal to the last bit."""

import json

import pytest

from .conftest import run

WITHOUT_LAYERS = ["ftrl", "columns", "partitioned", "own_optimizer", "unused_operations", "control_flow", "classifier"]


@pytest.fixture(scope="module")
def continued(estimators, new_python, tmp_path_factory):
    directory = tmp_path_factory.mktemp("continued")
    program, source = "with_object.py", estimators[0] / "at_10"
    run(new_python, program, source, directory / "a", directory / "a.json", *WITHOUT_LAYERS)
    run(new_python, program, source, directory / "b", directory / "b.json", "layers", legacy_keras=True)
    return {**json.loads((directory / "a.json").read_text()), **json.loads((directory / "b.json").read_text())}


@pytest.mark.parametrize("name", [*WITHOUT_LAYERS, "layers"])
def test_sixty_losses_are_equal_to_those_of_the_estimator_going_on(name, estimators, continued):
    assert continued[name] == estimators[1][name]
