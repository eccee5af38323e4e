"""Dropout goes on after a resume where it stood."""

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras_recovery import ResumableDropout
from tests.tensorflow.keras.job import FEATURES, InterruptAt, build, start, state


def seeded(dropout):
    tf.keras.utils.set_random_seed(7)
    return build(units=(8, 8), dropout=dropout)


def differs(resumed, uninterrupted):
    pairs = zip(state(resumed), state(uninterrupted), strict=True)
    return any(not np.array_equal(one, other) for one, other in pairs)


def interrupted_and_uninterrupted(directory, dropout):
    whole = seeded(dropout())
    start(directory / "whole", 9, model=whole, continue_input=True)
    with pytest.raises(RuntimeError):
        start(directory, 9, InterruptAt(5, RuntimeError("lost")), model=seeded(dropout()), continue_input=True)
    resumed = build(units=(8, 8), dropout=dropout())
    assert start(directory, 9, model=resumed, continue_input=True)[1] == [5, 6, 7, 8, 9]
    return resumed, whole


def test_an_interrupted_job_equals_an_uninterrupted_one_bit_for_bit(tmp_path):
    assert not differs(*interrupted_and_uninterrupted(tmp_path, lambda: resumable(0.5)))


def test_with_kerass_own_dropout_it_does_not(tmp_path):
    assert differs(*interrupted_and_uninterrupted(tmp_path, lambda: tf.keras.layers.Dropout(0.5)))


def resumable(rate):
    """A new layer at each call: every place in the net has a state of its own."""
    return lambda net: ResumableDropout(rate)(net)


def test_it_drops_the_rate_of_units_scales_the_others_and_changes_from_step_to_step():
    layer = ResumableDropout(0.25)
    first, second = (layer(tf.ones([100, 100]), training=True).numpy() for _ in range(2))
    assert set(np.unique(first).tolist()) == {0.0, np.float32(1 / 0.75)}
    assert 0.2 < np.mean(first == 0) < 0.3
    assert not np.array_equal(first, second)


def test_it_does_nothing_when_the_model_predicts():
    np.testing.assert_array_equal(ResumableDropout(0.5)(FEATURES), FEATURES)
    model = build(dropout=resumable(0.5))
    predictions = [model.predict_on_batch({"x": FEATURES}) for _ in range(2)]
    np.testing.assert_array_equal(*predictions)
