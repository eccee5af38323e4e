"""A translator of contrib.seq2seq, killed and resumed, ends as TensorFlow 1.15.5's own Estimator did."""

import json

import numpy as np
import pytest

from .conftest import WrittenPair
from .recorded_by_1 import PROGRAM, RECORDED, told


@pytest.fixture(scope="module")
def resumed(tmp_path_factory, installed):
    """What the migrated program left and printed, killed on its way in both forms."""
    folder = tmp_path_factory.mktemp("sequences")
    pair = WrittenPair(PROGRAM, folder / "pair", installed=installed)
    for program in (pair.new, pair.packaged):
        pair.kill(program, folder / "model")
    return told(folder / "model", pair.run(pair.new, folder / "model"))


@pytest.fixture(scope="module")
def recorded():
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def test_the_losses_of_all_steps_are_those_of_1(resumed, recorded):
    assert resumed["losses"].keys() == recorded["losses"].keys()
    np.testing.assert_allclose(list(resumed["losses"].values()), list(recorded["losses"].values()), rtol=1e-5)


def test_the_variables_have_the_names_and_values_of_1(resumed, recorded):
    assert resumed["variables"].keys() == recorded["variables"].keys()
    for name, value in recorded["variables"].items():
        np.testing.assert_allclose(resumed["variables"][name], value, rtol=1e-4, atol=1e-5, err_msg=name)


def test_it_translates_as_1_did(resumed, recorded):
    assert resumed["printed"] == recorded["printed"]
