"""A canned estimator goes on as the object of its name as it would have gone on itself, and back again."""

import numpy as np
import pytest
import tensorflow as tf

from tests.tensorflow.canned.conftest import GOING_BACK, PROGRAMS, difference, parts_of

PARTS = {(program, name): part for program in PROGRAMS for name, part in parts_of(program).items()}
ESTIMATORS = [pytest.param(*key, id=f"{key[0].stem}-{key[1]}") for key in PARTS]
JUDGED = [
    pytest.param(*key, id=f"{key[0].stem}-{key[1]}")
    for key in PARTS
    if any(word in PARTS[key] for word in ("judged(", "report(", "exported("))
]


def by_name(path):
    """The values in a checkpoint, by the names that a graph gives its variables."""
    reader = tf.train.load_checkpoint(str(path))
    keys = [key for key in reader.get_variable_to_shape_map() if not key.startswith(("_", "save_counter"))]
    return {_plain(key): reader.get_tensor(key) for key in keys}


def _plain(key):
    return key.split("/")[1].replace(".S", "/").replace("..", ".") if key.startswith("variables/") else key


def tolerance(program, name):
    """How far an object may be from its Estimator.

    The sigmoid of the newest TensorFlow differs by a bit from 2.15's; what TensorFlow 2's Adam and RMSprop compute in
    several operations rounds otherwise in a session than in a tf.function.
    """
    part = PARTS[program, name]
    is_rounded = "TWO" in part and not tf.__version__.startswith("2.15")
    return 1e-5 if is_rounded or "legacy.Adam" in part or "RMSProp" in part else 0.0


def rounding():
    """How far a probability may be where the logits are equal.

    The softmax of the newest TensorFlow without oneDNN differs by a bit from 2.15's (1.24e-7 at most).
    """
    return 0.0 if tf.__version__.startswith("2.15") else 2 * np.finfo(np.float32).eps


@pytest.mark.parametrize(("program", "name"), ESTIMATORS)
def test_fifty_losses_are_the_same(as_object, program, name):
    old, new = as_object(program).losses(name)
    assert len(new) == 50
    assert difference(new, old) <= min(tolerance(program, name), 1e-6)


@pytest.mark.parametrize(("program", "name"), ESTIMATORS)
def test_after_fifty_steps_every_variable_and_slot_is_the_same(as_object, program, name):
    both = as_object(program)
    old, new = by_name(both.old / name / "model.ckpt-60"), by_name(both.new / name / "model.ckpt-60")
    assert len(new) == len(old)
    # A Saver leaves the part and the scope out of a partitioned variable's name, so every value is looked for.
    for key, value in old.items():
        like = [other for other in new.values() if other.shape == value.shape]
        assert any(
            np.allclose(other, value, rtol=tolerance(program, name), atol=tolerance(program, name)) for other in like
        ), key


@pytest.mark.parametrize(("program", "name"), [each for each in ESTIMATORS if each.values[0] in GOING_BACK])
def test_the_old_program_goes_on_from_what_the_object_saved(as_object, program, name):
    both = as_object(program)
    own, back = by_name(both.old / name / "model.ckpt-70"), by_name(both.back / name / "model.ckpt-70")
    assert back.keys() == own.keys()
    for key, value in own.items():
        limit = 10 * tolerance(program, name)
        np.testing.assert_allclose(back[key], value, rtol=limit, atol=limit, err_msg=key)


@pytest.mark.parametrize(("program", "name"), JUDGED)
def test_evaluate_gives_the_same_metrics_under_the_same_names(as_object, program, name):
    old, new = as_object(program).results(name)
    assert new["metrics"] == pytest.approx(old["metrics"], rel=max(1e-6, tolerance(program, name)))


@pytest.mark.parametrize(("program", "name"), JUDGED)
def test_predict_yields_the_same(as_object, program, name):
    old, new = (result["prediction"] for result in as_object(program).results(name))
    assert [(key, dtype) for key, (dtype, _) in new.items()] == [(key, dtype) for key, (dtype, _) in old.items()]
    for key, (dtype, value) in old.items():
        found = new[key][1]
        if dtype.startswith("float"):
            limit = max(tolerance(program, name), rounding() if key == "probabilities" else 0.0)
            assert np.allclose(found, value, rtol=limit, atol=limit), key
        else:
            assert found == value
