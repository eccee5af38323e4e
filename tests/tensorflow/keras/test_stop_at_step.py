"""Recovery by BackupAndRestore: epochs of N steps, and a stop at max_steps."""

import math
import os

import pytest
import tensorflow as tf

from migrate.recovery.keras_backup import StopAtStep
from tests.tensorflow.keras.job import InterruptAt, StepsRun, build, dataset


def start(model_dir, max_steps, *callbacks, every=4):
    """Starts or resumes the job, as it stands at the site; returns the steps that it ran."""
    model = build()
    steps = StepsRun()
    backup = tf.keras.callbacks.BackupAndRestore(os.path.join(model_dir, "backup"), delete_checkpoint=False)
    model.fit(
        dataset(),
        steps_per_epoch=every,
        epochs=math.ceil(max_steps / every),
        verbose=0,
        callbacks=[backup, steps, *callbacks, StopAtStep(max_steps)],
    )
    assert int(model.optimizer.iterations.numpy()) == max_steps
    return steps.seen


@pytest.mark.parametrize("max_steps", [8, 10])
def test_the_job_ends_at_max_steps_and_a_rerun_does_nothing(tmp_path, max_steps):
    assert start(tmp_path, max_steps) == list(range(1, max_steps + 1))
    assert start(tmp_path, max_steps) == []


def test_an_interrupted_job_resumes_at_the_last_whole_epoch(tmp_path):
    with pytest.raises(RuntimeError):
        start(tmp_path, 10, InterruptAt(7, RuntimeError("lost")))
    assert start(tmp_path, 10) == [5, 6, 7, 8, 9, 10]


def test_one_pass_over_the_data_goes_on_over_the_epochs(tmp_path):
    drawn = []

    def note(number):
        drawn.append(int(number))
        return number

    numbered = dataset().enumerate().map(lambda number, batch: (tf.numpy_function(note, [number], tf.int64), batch))
    model = build()
    model.fit(numbered.map(lambda _, batch: batch), steps_per_epoch=2, epochs=3, verbose=0)
    assert drawn[:6] == [0, 1, 2, 3, 4, 5]
