"""What a training promises: where it starts and ends, when it saves, what it logs, what it recovers from."""

import os
import signal

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.model_checkpoints import ModelCheckpoints
from migrate.recovery.estimator.run_config import RunConfig

from .linear import Job, checkpoints, event_values, input_fn, loss_of, model_fn


@pytest.fixture
def logged(caplog):
    tf.get_logger().propagate = True
    caplog.set_level("INFO", logger="tensorflow")
    return lambda: [record.getMessage() for record in caplog.records]


def test_of_a_fraction_it_makes_the_step_that_is_begun_as_an_estimator_does(tmp_path):
    assert Job(tmp_path).run(25 / 4) == 7


def test_an_empty_dataset_ends_it_at_once(tmp_path):
    assert Job(tmp_path, input_fn=lambda: input_fn(batches=0)).run(10) == 0


def test_an_iterator_in_the_checkpoint_goes_on_where_the_data_stood(tmp_path):
    def fold(features, mode):
        seen, step = tf1.get_variable("seen", [], initializer=tf1.zeros_initializer()), tf1.train.get_global_step()
        folded = tf.group(seen.assign(seen * 0.9 + features), step.assign_add(1))
        return EstimatorSpec(mode, loss=features, train_op=folded)

    def shuffled():
        return tf.data.Dataset.range(1000).shuffle(50, seed=1).map(lambda i: tf.cast(i, tf.float32))

    def run(directory, *ends):
        for end in ends:
            job = Job(directory, fold, input_fn=shuffled, continue_input=True)
            job.run(end)
        return job.value("seen")

    assert run(tmp_path / "a", 30) == run(tmp_path / "b", 11, 30)


def test_nothing_is_logged_without_an_interval(tmp_path, logged):
    Job(tmp_path, log_step_count_steps=None).run(11)
    assert not [line for line in logged() if "loss =" in line]


def test_saves_by_the_clock_when_the_seconds_are_over(tmp_path):
    estimator = Estimator(model_fn, checkpoints=ModelCheckpoints(tmp_path, None, save_secs=1e-9))
    estimator.train(input_fn, hooks=[tf1.train.SessionRunHook()], max_steps=10)
    assert {int(name.removeprefix("model.ckpt-")) for name in checkpoints(tmp_path)} == set(range(11))


class Counting(tf1.train.SessionRunHook):
    """Watches nothing, but is a hook."""


@pytest.mark.parametrize("settings", [{}, {"every": 7}, {"every": 5, "log_step_count_steps": 4}])
def test_steps_that_nobody_watches_leave_what_watched_ones_leave(tmp_path, settings):
    left = []
    for name, hooks in (("bare", []), ("watched", [Counting()])):
        job = Job(tmp_path / name, keep=None, **settings)
        for end in (23, 31):
            job.run(end, hooks=hooks)
        events = [event_values(tmp_path / name, tag) for tag in ("loss", "global_step/sec")]
        left.append([checkpoints(tmp_path / name), events[0], list(events[1]), job.value("w").tolist()])
    assert left[0] == left[1]


def test_python_is_left_out_of_steps_that_nobody_watches(tmp_path, monkeypatch):
    runs, run = [], tf1.Session.run
    monkeypatch.setattr(tf1.Session, "run", lambda *arguments, **named: runs.append(1) or run(*arguments, **named))
    assert Job(tmp_path, every=3000, log_step_count_steps=None, save_summary_steps=None).run(3000) == 3000
    assert len(runs) < 300


def test_steps_that_do_not_always_count_are_saved_where_an_estimator_saves_them(tmp_path):
    def counting(features, labels, mode):
        taken = tf1.get_variable("taken", [], tf.int64, tf1.zeros_initializer(), trainable=False)
        by = taken.assign_add(1) % 2
        step = tf1.train.get_global_step()
        return EstimatorSpec(mode, loss=loss_of(features, labels), train_op=step.assign_add(by).op)

    saved = []
    for hooks in ([], [Counting()]):
        directory = tmp_path / str(len(hooks))
        Job(directory, counting, keep=None).run(19, hooks=hooks)
        saved.append(checkpoints(directory))
    assert saved[0] == saved[1]


def test_a_sigterm_waits_for_the_step_and_a_save_where_that_is_asked_for(tmp_path):
    class Saving(Estimator):
        save_on_sigterm = True

    class Struck(tf1.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            if run_context.session.run(tf1.train.get_global_step()) == 7:
                os.kill(os.getpid(), signal.SIGTERM)

    heard = []
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append(checkpoints(tmp_path)))
    try:
        Saving(model_fn, tmp_path, RunConfig(save_checkpoints_steps=100)).train(input_fn, hooks=[Struck()])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [["model.ckpt-0", "model.ckpt-7"]]


def test_numbers_print_as_numbers(tmp_path):
    def predicting(features, labels, mode):
        if mode == "infer":
            return EstimatorSpec(mode, predictions={"sum": tf.reduce_sum(features["x"], 1)})
        return model_fn(features, labels, mode)

    estimator = Job(tmp_path, predicting).estimator
    estimator.train(input_fn, max_steps=3)
    metrics, example = estimator.evaluate(input_fn, steps=1), next(estimator.predict(input_fn))
    assert "np." not in f"{metrics} {example} {estimator.get_variable_value('global_step')!r}"
    assert isinstance(metrics["loss"], np.float32)
    assert isinstance(example["sum"], np.float32)
