"""A canned estimator's job goes on as a Keras model, from its converted checkpoint, and comes back."""

import re

import numpy as np
import pytest
import tensorflow as tf

from migrate.checkpoints.bundle import Reader, Stored
from migrate.checkpoints.correspondence import parts
from tests.tensorflow.canned.conftest import IN_KERAS, difference, parts_of

JOBS = list(parts_of(IN_KERAS))
JUDGED = [name for name, part in parts_of(IN_KERAS).items() if "report(" in part]


def values(path):
    """The values in an Estimator's checkpoint by their names; a slot in two parts has the name of the first."""
    reader, found = Reader(str(path)), {}
    for name, shape in reader.shapes.items():
        second = re.sub(r"/(t|part)_0/", r"/\1_1/", name)
        if second != name and second in reader.shapes:
            found[name] = np.concatenate([reader.read(part).numpy() for part in parts([name, second], shape)])
        elif not re.search("/(t|part)_1/", name):
            found[name] = reader.read(Stored(name)).numpy()
    return found


def tolerance(name):
    """How far the variables may be apart at the end: some of Keras's optimizers round otherwise."""
    return 1e-4 if re.search("adam|momentum", name) else 1e-5


@pytest.mark.parametrize("name", JOBS)
def test_the_loss_of_each_of_fifty_steps_is_the_estimators(in_keras, name):
    old, new = in_keras.losses(name)
    assert len(new) == 50
    # Keras's step is several operations, which not every processor rounds alike: docs/canned.md.
    assert difference(new, old) <= 5e-6


@pytest.mark.parametrize("name", JOBS)
def test_after_fifty_steps_every_variable_and_slot_comes_back_the_same(in_keras, name):
    expected = values(in_keras.old / name / "model.ckpt-60")
    found = values(in_keras.new / name / "back" / "model.ckpt-60")
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        scale = max(float(np.max(np.abs(value), initial=0)), 1e-6)
        np.testing.assert_allclose(found[key], value, rtol=0, atol=tolerance(name) * scale, err_msg=key)


@pytest.mark.parametrize("name", JUDGED)
def test_evaluate_gives_the_same_metrics_under_the_same_names(in_keras, name):
    old, new = in_keras.results(name)
    old["metrics"].pop("auc_precision_recall", None)  # v1 sums up the area under the curve by trapezoids
    new["metrics"].pop("auc_precision_recall", None)
    assert new["metrics"] == pytest.approx(old["metrics"], rel=tolerance(name))


@pytest.mark.parametrize("name", JUDGED)
def test_predict_yields_the_same_keys_types_and_values(in_keras, name):
    old, new = (result["prediction"] for result in in_keras.results(name))
    assert {key: dtype for key, (dtype, _) in new.items()} == {key: dtype for key, (dtype, _) in old.items()}
    for key, (dtype, value) in old.items():
        if dtype.startswith("float"):
            np.testing.assert_allclose(new[key][1], value, rtol=tolerance(name), atol=tolerance(name), err_msg=key)
        else:
            assert new[key][1] == value


def scalars(directory):
    """The values that TensorBoard draws, by the directory of their events, their tag and their step."""
    found = {}
    for path in sorted(directory.rglob("*.tfevents.*")):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    found[str(path.parent.relative_to(directory)), value.tag, event.step] = value.simple_value
    return found


OF_LAYERS = re.compile(r"/fraction_of_zero_values$|(^|/)(bias|fraction_of_zero_weights)$")


@pytest.mark.parametrize("name", JOBS)
def test_tensorboard_finds_the_same_curves_but_the_layers(in_keras, name):
    old, new = scalars(in_keras.old / name), scalars(in_keras.new / name)
    curves = {(where, tag) for where, tag, _ in old if not OF_LAYERS.search(tag)}
    assert {(".", "loss"), *curves} == {(where, tag) for where, tag, _ in new}
    evaluated = {key: value for key, value in old.items() if key[0] != "." and key[1] != "auc_precision_recall"}
    assert {key: new[key] for key in evaluated} == pytest.approx(evaluated, rel=tolerance(name))
