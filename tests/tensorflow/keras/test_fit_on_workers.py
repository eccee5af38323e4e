"""The loop that stands for fit trains as fit does; ``tests/interruption/workers`` has the several workers."""

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras.workers import WorkerRecovery, fit_on_workers
from tests.cases import each
from tests.tensorflow.keras.job import FEATURES, LABELS, InterruptAt, StepsRun, recover, saved, state


def build(strategy, optimizer=None):
    """A compiled classifier that has not seen its input yet, with the same weights each time."""
    seeded = tf.keras.initializers.RandomNormal(seed=1)
    with strategy.scope():
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(8, "relu", kernel_initializer=seeded),
                tf.keras.layers.Dense(3, kernel_initializer=seeded),
            ]
        )
        model.compile(
            optimizer=optimizer() if optimizer else tf.keras.optimizers.Adam(0.01),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
        )
    return model


def dataset():
    """One pass over the 40 examples, in 10 batches."""
    return tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).batch(4)


@pytest.fixture
def strategy():
    """The strategy of several workers, which makes one process its only one."""
    return tf.distribute.MultiWorkerMirroredStrategy()


@each("steps_per_epoch", "is_mirrored")((None, True), (4, False))
def test_it_gives_the_weights_and_the_history_of_fit(strategy, steps_per_epoch, is_mirrored):
    strategy = tf.distribute.MirroredStrategy(["cpu:0"]) if is_mirrored else strategy
    endless = dataset().repeat() if steps_per_epoch else dataset()
    by_fit, by_loop = build(strategy), build(strategy)
    settings = {"epochs": 3, "steps_per_epoch": steps_per_epoch, "validation_data": dataset(), "verbose": 0}
    expected = by_fit.fit(endless, **settings)
    history = fit_on_workers(by_loop, endless, **settings)
    for one, other in zip(by_loop.get_weights(), by_fit.get_weights(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    assert history.epoch == expected.epoch
    for name, values in expected.history.items():
        np.testing.assert_allclose(history.history[name], values, rtol=1e-5)


@pytest.mark.parametrize("killed_at", [3, 17])
def test_an_interrupted_job_ends_as_an_uninterrupted_one(strategy, tmp_path, killed_at):
    whole, steps = build(strategy), StepsRun()
    fit_on_workers(whole, dataset(), worker_recovery(whole, tmp_path / "whole"), epochs=2, verbose=0)
    struck = build(strategy)
    with pytest.raises(RuntimeError, match="lost"):
        fit_on_workers(
            struck,
            dataset(),
            worker_recovery(struck, tmp_path / "struck"),
            epochs=2,
            callbacks=[InterruptAt(killed_at, RuntimeError("lost"))],
            verbose=0,
        )
    again = build(strategy)
    fit_on_workers(
        again, dataset(), worker_recovery(again, tmp_path / "struck"), epochs=2, callbacks=[steps], verbose=0
    )
    # A fault in a callback before the recovery comes before the save at its step.
    assert steps.seen[0] == (killed_at - 1) // 5 * 5 + 1
    assert saved(tmp_path / "struck") == saved(tmp_path / "whole") == [10, 15, 20]


def worker_recovery(model, directory):
    return WorkerRecovery(recover(model, directory, every=5).manager)


OPTIMIZERS = [None] if hasattr(tf.keras, "ops") else [None, lambda: tf.keras.optimizers.legacy.Adam(0.01)]
"""Keras 3 has no legacy optimizers."""


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_after_a_save_at_an_epochs_end_the_weights_are_those_of_an_uninterrupted_job(strategy, optimizer, tmp_path):
    whole = build(strategy, optimizer)
    fit_on_workers(whole, dataset(), epochs=2, verbose=0)
    struck = build(strategy, optimizer)
    fit_on_workers(struck, dataset(), worker_recovery(struck, tmp_path), epochs=1, verbose=0)
    again = build(strategy, optimizer)
    fit_on_workers(again, dataset(), worker_recovery(again, tmp_path), epochs=2, verbose=0)
    for one, other in zip(state(again), state(whole), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_finished_job_that_is_started_again_does_nothing(strategy, tmp_path):
    first, steps = build(strategy), StepsRun()
    fit_on_workers(first, dataset(), worker_recovery(first, tmp_path), epochs=1, verbose=0)
    again = build(strategy)
    fit_on_workers(again, dataset(), worker_recovery(again, tmp_path), epochs=1, callbacks=[steps], verbose=0)
    assert steps.seen == []


def test_a_callback_stops_the_job(strategy):
    model, steps = build(strategy), StepsRun()
    history = fit_on_workers(model, dataset(), epochs=3, callbacks=[steps, InterruptAt(12)], verbose=0)
    assert steps.seen[-1] == 12
    assert history.epoch == [0, 1]


def test_a_part_of_a_step_is_a_step_as_in_fit(strategy):
    model, steps = build(strategy), StepsRun()
    fit_on_workers(model, dataset().repeat(), epochs=2, steps_per_epoch=10 / 4, callbacks=[steps], verbose=0)
    assert steps.seen == [1, 2, 3, 4, 5, 6]


def test_a_dataset_without_a_length_is_refused_unless_the_steps_are_given(strategy):
    with pytest.raises(ValueError, match="Say how many steps"):
        fit_on_workers(build(strategy), dataset().repeat(), epochs=1, verbose=0)


def test_it_prints_its_progress_as_fit_does(strategy, capsys):
    fit_on_workers(build(strategy), dataset(), epochs=1)
    assert "10/10" in capsys.readouterr().out
