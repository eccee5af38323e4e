"""What the tool writes for contrib computes what TensorFlow 1.15.5 computed with it, ``tests.contrib_golden``."""

import json
import operator
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1
from tensorflow.python.util import tf_decorator

from tests import nursery

ROOT = Path(__file__).parents[3]
KNOWN = json.loads((ROOT / "tests" / "contrib_golden.json").read_text(encoding="utf-8"))
CASES = {name: result for one in KNOWN["cases"] for name, result in one["results"].items()}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    path = tmp_path_factory.mktemp("contrib") / "found.json"
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1"}  # recurrent cells are layers of Keras 2
    done = nursery.run([sys.executable, "-m", "tests.contrib_successors", path], environment, ROOT)
    assert done.returncode == 0, done.stderr[-4000:]
    return {name: result for one in json.loads(path.read_text()) for name, result in one["results"].items()}


def flat(value, path=""):
    """The numbers and names of a nested value, each by where it is."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return {k: v for key, one in items for k, v in flat(one, f"{path}/{key}").items()}
    return {path: value}


def test_every_case_is_there(found):
    assert found.keys() == CASES.keys()


@pytest.mark.parametrize("case", CASES)
def test_values_gradients_and_names_are_those_of_1(found, case):
    here, there = flat(found[case]), flat(CASES[case])
    assert list(here) == list(there)
    others = [key for key, value in there.items() if isinstance(value, str | None)]  # an operation has no value
    assert [here[key] for key in others] == [there[key] for key in others]
    numbers = [key for key in there if key not in others]
    np.testing.assert_allclose([here[key] for key in numbers], [there[key] for key in numbers], rtol=5e-6, atol=1e-6)


@pytest.mark.parametrize("name", KNOWN["objects"]["places"])
def test_what_1_showed_in_contrib_alone_is_defined_where_it_was(name):
    successor, module, own = KNOWN["objects"]["places"][name]
    found = tf_decorator.unwrap(operator.attrgetter(successor)(tf1))[1]
    assert (found.__module__, found.__qualname__) == (module, own)
