"""A user's own CheckpointSaverHook saves when and where it did, and the estimator does not beside it."""

import pytest
import tensorflow.compat.v1 as tf1

from .linear import Job, checkpoints

CheckpointSaverHook = tf1.train.CheckpointSaverHook


def saved(model_dir, *hooks):
    return Job(model_dir, every=100, hooks=hooks)


class Hearing(tf1.train.CheckpointSaverListener):
    def __init__(self, stop_at=None):
        self.events, self.stop_at = [], stop_at

    def begin(self):
        self.events.append("begin")

    def before_save(self, session, global_step_value):
        self.events.append(f"before {global_step_value}")

    def after_save(self, session, global_step_value):
        self.events.append(f"after {global_step_value}")
        return global_step_value == self.stop_at

    def end(self, session, global_step_value):
        self.events.append(f"end {global_step_value}")


def test_its_steps_count_and_not_those_of_the_config(tmp_path):
    saved(tmp_path, CheckpointSaverHook(str(tmp_path), save_steps=3)).run(7)
    assert checkpoints(tmp_path) == ["model.ckpt-3", "model.ckpt-6", "model.ckpt-7"]
    again = saved(tmp_path, CheckpointSaverHook(str(tmp_path), save_steps=3))
    assert again.run(12) == 12
    assert checkpoints(tmp_path) == ["model.ckpt-7", "model.ckpt-10", "model.ckpt-12"]


def test_without_one_the_estimator_saves(tmp_path):
    saved(tmp_path).run(7)
    assert checkpoints(tmp_path) == ["model.ckpt-0", "model.ckpt-7"]


def test_by_seconds_it_saves_at_the_start_and_at_the_end(tmp_path):
    saved(tmp_path, CheckpointSaverHook(str(tmp_path), save_secs=1000)).run(7)
    assert checkpoints(tmp_path) == ["model.ckpt-0", "model.ckpt-7"]


def test_in_another_directory_it_saves_there_and_the_job_begins_anew(tmp_path):
    saved(tmp_path, CheckpointSaverHook(str(tmp_path / "other"), save_steps=3)).run(7)
    assert checkpoints(tmp_path) == []
    assert checkpoints(tmp_path / "other") == ["model.ckpt-3", "model.ckpt-6", "model.ckpt-7"]
    assert Job(tmp_path).restored == 0


def test_its_listeners_hear_of_its_saves_and_may_end_the_training(tmp_path):
    listener = Hearing(stop_at=6)
    saved(tmp_path, CheckpointSaverHook(str(tmp_path), save_steps=3, listeners=[listener])).run(12)
    saves = [f"{when} {step}" for step in (0, 3, 6) for when in ("before", "after")]
    assert listener.events == ["begin", *saves, "end 6"]


def test_two_of_them_save_both(tmp_path):
    hooks = [CheckpointSaverHook(str(tmp_path / name), save_steps=step) for name, step in (("a", 3), ("b", 5))]
    Job(tmp_path, keep=None, hooks=hooks).run(7)
    assert checkpoints(tmp_path / "a") == [f"model.ckpt-{step}" for step in (0, 3, 6, 7)]
    assert checkpoints(tmp_path / "b") == [f"model.ckpt-{step}" for step in (0, 5, 7)]


@pytest.mark.parametrize("name", ["model.ckpt", "other.ckpt"])
def test_a_listener_hears_each_save_once(tmp_path, name):
    listener = Hearing()
    hook = CheckpointSaverHook(str(tmp_path), save_steps=3, checkpoint_basename=name)
    saved(tmp_path, hook).run(4, saving_listeners=[listener])
    assert [event for event in listener.events if "before" in event] == ["before 0", "before 3", "before 4"]
