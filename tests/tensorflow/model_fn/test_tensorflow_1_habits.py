"""What TensorFlow 1's variables and layers do, and TensorFlow 2's do not, is migrated with the program."""

import shutil
import sys
from pathlib import Path

import pytest
import tensorflow as tf

from migrate.pipeline.run import run as codemod
from migrate.pipeline.run import write
from migrate.settings import Settings

from .conftest import PROGRAMS, run

PROGRAM = PROGRAMS / "tensorflow_1_habits.py"


@pytest.fixture
def original(tmp_path):
    """The program as TensorFlow 2.15 can still run it, which took ``apply`` away already."""
    program = tmp_path / "original.py"
    program.write_text(PROGRAM.read_text().replace(".apply(features)", "(features)"))
    return program


@pytest.fixture
def migrated(tmp_path):
    program = shutil.copy(PROGRAM, tmp_path)
    write(codemod([str(program)], Settings(), jobs=1, progress=None))
    return program


def test_a_program_that_shares_embeddings_asks_for_the_truth_of_variables_and_applies_layers_goes_on(
    original, migrated, tmp_path, old_python
):
    assert "eager mode" in original.read_text()
    assert "eager mode" not in Path(migrated).read_text()  # the comment of a line that is deleted
    old, new = tmp_path / "old", tmp_path / "new"
    run(old_python, original, old, 3)
    shutil.copytree(old, new)
    run(old_python, original, old, 6)
    run(sys.executable, migrated, new, 6, legacy_keras=True)
    before, after = (tf.train.load_checkpoint(str(directory)) for directory in (old, new))
    names = before.get_variable_to_shape_map()
    assert "scale/ExponentialMovingAverage" in names
    assert after.get_variable_to_shape_map().keys() == names.keys()
    for name in names:
        assert after.get_tensor(name) == pytest.approx(before.get_tensor(name), rel=1e-6)
