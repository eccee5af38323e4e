"""A canned estimator's job goes on as a Keras model, from its converted checkpoint, and comes back."""

import numpy as np
import pytest
import tensorflow as tf

from tests.tensorflow.canned.conftest import IN_KERAS
from tests.tensorflow.canned.test_continuation import JUDGED as CONTINUED

JOBS = [
    pytest.param(program, name, id=f"{program.stem}-{name}") for program, names in IN_KERAS.items() for name in names
]

JUDGED = [job for job in JOBS if job.id in {one.id for one in CONTINUED}]


def values(path):
    """The values in an Estimator's checkpoint by their names."""
    reader = tf.train.load_checkpoint(str(path))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def tolerance(name):
    """How far Keras may be: Adam and RMSprop round otherwise; batch normalization magnifies it."""
    if name in ("dnn_named", "combined_adam", "dnn_rmsprop"):
        return 1e-3
    return 1e-4 if name in ("dnn_adam", "linear_adam") else 1e-5


@pytest.mark.parametrize(("program", "name"), JOBS)
def test_after_fifty_steps_every_variable_and_slot_comes_back_the_same(in_keras, program, name):
    job = in_keras(program)
    expected = values(job.old / name / "model.ckpt-60")
    found = values(job.new / name / "back" / "model.ckpt-60")
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        scale = max(float(np.max(np.abs(value), initial=0)), 1e-6)
        np.testing.assert_allclose(found[key], value, rtol=0, atol=tolerance(name) * scale, err_msg=key)


@pytest.mark.parametrize(("program", "name"), JUDGED)
def test_evaluate_gives_the_same_metrics_under_the_same_names(in_keras, program, name):
    old, new = in_keras(program).results(name)
    if program.stem == "estimators":  # v1 sums up the area under the curve by trapezoids
        old["metrics"].pop("auc_precision_recall", None)
        new["metrics"].pop("auc_precision_recall", None)
    assert new["metrics"] == pytest.approx(old["metrics"], rel=tolerance(name))


@pytest.mark.parametrize(("program", "name"), JUDGED)
def test_predict_yields_the_same_keys_types_and_values(in_keras, program, name):
    old, new = (result["prediction"] for result in in_keras(program).results(name))
    assert {key: dtype for key, (dtype, _) in new.items()} == {key: dtype for key, (dtype, _) in old.items()}
    for key, (dtype, value) in old.items():
        if dtype.startswith("float"):
            np.testing.assert_allclose(new[key][1], value, rtol=tolerance(name), atol=tolerance(name), err_msg=key)
        else:
            assert new[key][1] == value
