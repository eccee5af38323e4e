"""A network of contrib.slim trains on as tf_slim under its Estimator's checkpoints, killed or not."""

import shutil

import pytest

from tests.pairs import LEGACY, for_2
from tests.slim_names import unlike_the_table

from .conftest import WrittenPair, assert_equal, final_variables, losses


@pytest.fixture(scope="module")
def pair(tmp_path_factory, installed):
    """The migrated program, and the old one with tf_slim for contrib, which TensorFlow 2.15 lacks."""
    source = LEGACY / "contrib" / "slim_network.py"
    made = WrittenPair(source, tmp_path_factory.mktemp("slim") / "pair", installed=installed)
    for_2(made.old)
    for program in (
        made.old,
        made.new,
        made.packaged,
    ):  # every batch the same: the step resumed at does not show in the weights
        text = program.read_text()
        assert ".batch(4)" in text
        program.write_text(text.replace(".batch(4)", ".batch(24)"))
    return made


@pytest.fixture(scope="module")
def alone(pair):
    """The directories that the Estimator alone left."""
    return pair.kept("alone", ("at_10", "--max_steps", 10), ("at_60", "--max_steps", 60))


def test_it_goes_on_in_the_estimators_directory_with_its_numbers(pair, alone, tmp_path):
    shutil.copytree(alone / "at_10", tmp_path / "new")
    pair.run(pair.new, tmp_path / "new", "--max_steps", 60)
    assert_equal(final_variables(tmp_path / "new"), final_variables(alone / "at_60"))
    assert losses(tmp_path / "new") == losses(alone / "at_60")


def test_killed_at_random_it_ends_with_the_same_variables(pair, alone, tmp_path):
    directory = tmp_path / "killed"
    shutil.copytree(alone / "at_10", directory)
    for program in (pair.new, pair.packaged, pair.new):
        pair.kill(program, directory, "--max_steps", 60, within=0.1)
    pair.kill(pair.old, directory, "--max_steps", 60, within=0.1)
    pair.run(pair.new, directory, "--max_steps", 60)
    assert_equal(final_variables(directory), final_variables(alone / "at_60"))


def test_the_table_of_names_is_that_of_the_package():
    assert unlike_the_table() == []
