"""What the tool writes for contrib computes what TensorFlow 1.15's own code of it did, ``tests.contrib_golden``."""

import json
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

from migrate.recovery import (
    experiment,
    model_fn_image_transform,
    model_fn_lazy_adam,
    model_fn_linear_map,
    model_fn_sequence_columns,
    model_fn_weight_decay,
)
from migrate.recovery.estimator import Estimator
from migrate.recovery.model_fn_spec import EstimatorSpec
from migrate.recovery.run_config import RunConfig
from tests.contrib_golden import GOLDEN, computed

PIECES = {
    "opt": {**vars(model_fn_weight_decay), **vars(model_fn_lazy_adam)},
    "image": vars(model_fn_image_transform),
    "feature_column": {**vars(tf1.feature_column), **vars(model_fn_sequence_columns)},
    "rnn": {"_Linear": model_fn_linear_map.LinearMap},
    "learn": {
        **vars(experiment),
        "Estimator": Estimator,
        "EstimatorSpec": EstimatorSpec,
        "RunConfig": RunConfig,
    },
    "layers": {"safe_embedding_lookup_sparse": tf1.nn.safe_embedding_lookup_sparse},
}
KNOWN = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def found():
    return computed(lambda module: types.SimpleNamespace(**PIECES[module]))


def flat(value, path=""):
    """The numbers and names of a nested value, each by where it is."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return {k: v for key, one in items for k, v in flat(one, f"{path}/{key}").items()}
    return {path: value}


def test_every_case_is_there(found):
    assert found.keys() == KNOWN.keys()


@pytest.mark.parametrize("case", KNOWN)
def test_values_gradients_and_names_are_those_of_1(found, case):
    here, there = flat(found[case]), flat(KNOWN[case])
    assert here.keys() == there.keys()
    is_text = [key for key, value in there.items() if isinstance(value, str)]
    assert [here[key] for key in is_text] == [there[key] for key in is_text]
    numbers = [key for key in there if key not in is_text]
    np.testing.assert_allclose([here[key] for key in numbers], [there[key] for key in numbers], rtol=2e-6, atol=1e-7)
