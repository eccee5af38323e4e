"""What the codemod writes continues the Estimators of six optimizers, to the last bit."""

import shutil
from pathlib import Path

import pytest

from .conftest import WrittenPair, assert_equal, final_variables, losses

PROGRAM = Path(__file__).parent / "six_optimizers.py"
OPTIMIZERS = ["adam", "momentum", "adagrad", "rmsprop", "ftrl", "sgd"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return WrittenPair(PROGRAM, tmp_path_factory.mktemp("written") / "pair")


@pytest.fixture(scope="module")
def stopped(pair, tmp_path_factory):
    """The Estimators' directories at step 50."""
    directory = tmp_path_factory.mktemp("stopped") / "models"
    pair.run(pair.old, directory, "--max_steps", 50)
    return directory


@pytest.fixture(scope="module")
def continued(pair, stopped, tmp_path_factory):
    """The directories of the Estimators and of the migrated program, both gone on from step 50 to 130."""
    folder = tmp_path_factory.mktemp("continued")
    for name, program in (("estimator", pair.old), ("migrated", pair.new)):
        shutil.copytree(stopped, folder / name)
        pair.run(program, folder / name, "--max_steps", 130)
    return folder / "estimator", folder / "migrated"


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_eighty_losses_variables_and_slots_are_those_of_the_estimator(optimizer, continued):
    estimator, migrated = (directory / optimizer for directory in continued)
    assert losses(migrated) == losses(estimator)
    assert len([step for step in losses(migrated) if step > 50]) == 80
    assert_equal(final_variables(migrated), final_variables(estimator))


def test_with_input_continue_an_interrupted_job_equals_an_uninterrupted_one(stopped, tmp_path):
    pair = WrittenPair(PROGRAM, tmp_path / "pair", input="continue")
    for name in ("whole", "stopped"):
        shutil.copytree(stopped, tmp_path / name)
    pair.run(pair.new, tmp_path / "whole", "--max_steps", 130)
    pair.run(pair.new, tmp_path / "stopped", "--max_steps", 87)
    pair.run(pair.new, tmp_path / "stopped", "--max_steps", 130)
    for optimizer in OPTIMIZERS:
        whole, resumed = (final_variables(tmp_path / name / optimizer) for name in ("whole", "stopped"))
        assert_equal(resumed, whole)
        # From the Estimator's checkpoint the input begins at its first element; from then on it goes on.
        assert losses(tmp_path / "stopped" / optimizer) == losses(tmp_path / "whole" / optimizer)
