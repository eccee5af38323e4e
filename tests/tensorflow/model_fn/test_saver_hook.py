"""A user's own CheckpointSaverHook saves when and where it did, and the estimator does not beside it."""

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
