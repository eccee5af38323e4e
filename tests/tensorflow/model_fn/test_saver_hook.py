"""A user's own CheckpointSaverHook saves when and where it did, and the loop around it does not."""

import pytest
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_saver_hook import CheckpointSaverHook

from .linear import Job, checkpoints, hooked


def saved(model_dir, *hooks):
    return hooked(model_dir, hooks, every=100)


class Noting(tf1.train.CheckpointSaverListener):
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
    saved(tmp_path, CheckpointSaverHook(tmp_path, save_steps=3)).run(7)
    assert checkpoints(tmp_path) == ["model.ckpt-3", "model.ckpt-6", "model.ckpt-7"]
    again = saved(tmp_path, CheckpointSaverHook(tmp_path, save_steps=3))
    assert again.run(12) == 12
    assert checkpoints(tmp_path) == ["model.ckpt-7", "model.ckpt-10", "model.ckpt-12"]


def test_without_one_the_loop_saves(tmp_path):
    saved(tmp_path).run(7)
    assert checkpoints(tmp_path) == ["model.ckpt-0", "model.ckpt-7"]


def test_by_seconds_it_saves_at_the_start_and_at_the_end(tmp_path):
    saved(tmp_path, CheckpointSaverHook(tmp_path, save_secs=1000)).run(7)
    assert checkpoints(tmp_path) == ["model.ckpt-0", "model.ckpt-7"]


def test_in_another_directory_it_saves_there_and_the_job_begins_anew(tmp_path):
    saved(tmp_path, CheckpointSaverHook(tmp_path / "other", save_steps=3)).run(7)
    assert checkpoints(tmp_path) == []
    assert checkpoints(tmp_path / "other") == ["model.ckpt-3", "model.ckpt-6", "model.ckpt-7"]
    assert Job(tmp_path).restored == 0


def test_its_listeners_hear_of_its_saves_and_may_end_the_training(tmp_path):
    listener = Noting(stop_at=6)
    saved(tmp_path, CheckpointSaverHook(tmp_path, save_steps=3, listeners=[listener])).run(12)
    saves = [f"{when} {step}" for step in (0, 3, 6) for when in ("before", "after")]
    assert listener.events == ["begin", *saves, "end 6"]


def test_two_of_them_are_an_error(tmp_path):
    hooks = [CheckpointSaverHook(tmp_path, save_steps=step) for step in (3, 5)]
    with pytest.raises(ValueError, match="Only one"):
        saved(tmp_path, *hooks)
