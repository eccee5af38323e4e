"""The loss of single steps reaches TensorBoard and the log."""

import logging
import math

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras.logs import TrainingLog, event_writer
from tests.tensorflow.keras.job import FEATURES, LABELS, build, dataset, recover, saved, start


def summaries(directory, tag):
    events = [event for path in directory.glob("events.*") for event in tf.compat.v1.train.summary_iterator(str(path))]
    return {event.step: value.simple_value for event in events for value in event.summary.value if value.tag == tag}


@pytest.fixture
def log(tmp_path, caplog):
    """A job of 7 steps with summaries every 3 and a line every 5; the lines of its log."""
    with caplog.at_level(logging.INFO, logger="tensorflow"):
        tf.keras.utils.set_random_seed(7)
        start(tmp_path, 7, TrainingLog(str(tmp_path), summary_steps=3, log_steps=5))
        yield [record.getMessage() for record in caplog.records if record.getMessage().startswith("loss")]


def test_the_loss_of_a_step_is_that_of_this_step_alone(tmp_path, log):
    tf.keras.utils.set_random_seed(7)
    expected = []
    model = build()
    for batch in dataset().take(7):
        model.reset_metrics()
        expected.append(model.train_on_batch(*batch, return_dict=True)["loss"])
    written = summaries(tmp_path, "loss")
    assert list(written) == [1, 4, 7]
    np.testing.assert_allclose(list(written.values()), [expected[0], expected[3], expected[6]], rtol=1e-6)


def test_the_log_has_a_line_at_its_own_interval(tmp_path, log):
    assert [line.split(", ")[1] for line in log] == ["step = 1", "step = 6"]
    assert list(summaries(tmp_path, "global_step/sec")) == [6]


def test_after_a_resume_the_steps_are_counted_on(tmp_path):
    start(tmp_path, 4)
    start(tmp_path, 8, TrainingLog(str(tmp_path), summary_steps=2))
    assert list(summaries(tmp_path, "loss")) == [5, 7]


def test_a_job_that_is_started_again_within_a_second_leaves_what_is_written(tmp_path):
    for steps in range(1, 5):  # a start takes half a second or less
        event_writer.cache_clear()  # as in a new process
        start(tmp_path, steps, TrainingLog(str(tmp_path), summary_steps=1))
    assert sorted(summaries(tmp_path, "loss")) == [1, 2, 3, 4]


def test_nothing_is_written_where_nothing_is_asked_for(tmp_path):
    start(tmp_path, 3, TrainingLog(str(tmp_path)))
    assert summaries(tmp_path, "loss") == {}


@pytest.mark.parametrize("summary_steps", [1, None])
def test_a_nan_loss_ends_the_job_before_it_is_saved(tmp_path, summary_steps):
    model = build(units=())  # relu would hide it
    features = np.where(np.arange(40)[:, np.newaxis] == 9, math.nan, FEATURES)
    batches = tf.data.Dataset.from_tensor_slices(({"x": features}, LABELS)).batch(4)
    recovery = recover(model, tmp_path, every=1, keep=None)
    log = TrainingLog(str(tmp_path), summary_steps)
    with pytest.raises(ArithmeticError, match="not a number at step 3"):
        model.fit(batches, verbose=0, callbacks=[log, recovery])
    assert saved(tmp_path) == [0, 1, 2]


def test_summaries_have_the_tags_that_are_asked_for(tmp_path):
    start(tmp_path, 2, TrainingLog(str(tmp_path), summary_steps=1, tags={"loss": "loss_1"}))
    assert list(summaries(tmp_path, "loss_1")) == [1, 2]
    assert summaries(tmp_path, "loss") == {}
