"""``EvaluateAfterSaves`` evaluates when ``train_and_evaluate`` did, and leaves training as it is."""

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras_logs import EvaluateAfterSaves
from migrate.recovery.keras_recovery import CheckpointRecovery
from tests.tensorflow.keras.test_training_log import summaries

DATASET = tf.data.Dataset.from_tensor_slices((np.arange(12.0)[:, None], np.arange(12.0))).batch(4)


class Regression(tf.keras.Sequential):
    """A model that remembers at which steps it was evaluated."""

    def __init__(self):
        super().__init__([tf.keras.Input((1,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        self.compile(tf.keras.optimizers.SGD(0.001), loss="mse", metrics=["mae"])
        self.evaluated = []

    def evaluate(self, *args, **settings):
        self.evaluated.append(int(self.optimizer.iterations.numpy()))
        return super().evaluate(*args, **settings)


def trained(directory, **settings):
    model = Regression()
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    manager = tf.train.CheckpointManager(
        checkpoint, str(directory), 3, step_counter=model.optimizer.iterations, checkpoint_interval=4
    )
    recovery = CheckpointRecovery(manager)
    recovery.restore()
    evaluation = [EvaluateAfterSaves(recovery, DATASET, steps=2, **settings)] if settings else []
    dataset = DATASET.repeat().take(10 - recovery.step)
    history = model.fit(dataset, verbose=0, callbacks=[recovery, *evaluation])
    return model, history


# What the Estimator did, saving every 4 steps to 10: it evaluated three times without a throttle, twice with it.
@pytest.mark.parametrize(("throttle_secs", "steps"), [(0, [4, 8, 10]), (600, [4, 10])])
def test_it_evaluates_after_the_saves_but_the_first_and_at_the_end(tmp_path, throttle_secs, steps):
    model, _ = trained(tmp_path, throttle_secs=throttle_secs)
    assert model.evaluated == steps
    assert list(summaries(tmp_path / "eval", "loss")) == list(summaries(tmp_path / "eval", "mae")) == steps


def test_a_name_tells_the_curves_of_evaluations_apart(tmp_path):
    trained(tmp_path, name="held_out")
    assert list(summaries(tmp_path / "eval_held_out", "loss")) == [4, 10]


def test_training_goes_on_as_without_it(tmp_path):
    alone, _ = trained(tmp_path / "alone")
    model, _ = trained(tmp_path / "evaluated", throttle_secs=0)
    for one, other in zip(alone.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_run_that_goes_on_does_not_evaluate_what_it_restored(tmp_path):
    trained(tmp_path, throttle_secs=0)
    (tmp_path / "checkpoint").unlink()
    for step in (8, 10):
        for file in tmp_path.glob(f"ckpt-{step}.*"):
            file.unlink()
    model, _ = trained(tmp_path, throttle_secs=0)
    assert model.evaluated == [8, 10]


def test_what_exports_is_called_with_the_metrics_and_the_step(tmp_path):
    given = []
    model, _ = trained(tmp_path, throttle_secs=0, export=given.append)
    assert [metrics["global_step"] for metrics in given] == model.evaluated
    assert all(metrics.keys() >= {"loss", "mae"} for metrics in given)
