"""A user's own CheckpointSaverHook saves when and where it did, and the estimator does not beside it."""

import tensorflow.compat.v1 as tf1

from .linear import Job, checkpoints


def test_in_another_directory_it_saves_there_and_the_job_begins_anew(tmp_path):
    hook = tf1.train.CheckpointSaverHook(str(tmp_path / "other"), save_steps=3)
    Job(tmp_path, every=100, hooks=[hook]).run(7)
    assert checkpoints(tmp_path) == []
    assert checkpoints(tmp_path / "other") == ["model.ckpt-3", "model.ckpt-6", "model.ckpt-7"]
    assert Job(tmp_path).restored == 0
