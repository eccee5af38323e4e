"""A migrated program continues an Estimator's checkpoint, and its losses are equal to the last bit."""

import json

import pytest

from .conftest import run

WITHOUT_LAYERS = [
    *("adam", "momentum", "adagrad", "rmsprop", "ftrl", "sgd", "columns", "partitioned", "own_optimizer"),
    *("unused_operations", "control_flow", "classifier"),
]


@pytest.fixture(scope="module")
def continued(estimators, new_python, tmp_path_factory):
    directory = tmp_path_factory.mktemp("continued")
    program, source = "with_checkpoint_manager.py", estimators[0] / "at_10"
    run(new_python, program, source, directory / "a", directory / "a.json", *WITHOUT_LAYERS)
    run(new_python, program, source, directory / "b", directory / "b.json", "layers", legacy_keras=True)
    return {**json.loads((directory / "a.json").read_text()), **json.loads((directory / "b.json").read_text())}


@pytest.mark.parametrize("name", [*WITHOUT_LAYERS, "layers"])
def test_sixty_losses_are_equal_to_those_of_the_estimator_going_on(name, estimators, continued):
    assert continued[name]["one"] == {str(11 + i): loss for i, loss in enumerate(estimators[1][name])}


# The own optimizer moves the step by hand, in no stated order: under an Estimator too a summary may tell either step.
@pytest.mark.parametrize("name", [*(name for name in WITHOUT_LAYERS if name != "own_optimizer"), "layers"])
def test_losses_are_the_same_when_python_is_left_out_between_summaries(name, estimators, continued):
    bare = {int(step): loss for step, loss in continued[name]["bare"].items()}
    assert bare == {step: estimators[1][name][step - 11] for step in bare}
    # TensorFlow's summary hook reads the step beside its update: on a busy machine it may come a step early, and from
    # then on all that follow.
    for step, due in zip(sorted(bare), range(11, 71, 7), strict=True):
        assert step in (due, due - 1, due - 2)
