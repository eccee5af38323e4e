"""Unchanged session hooks around the steps of a migrated model_fn, which a session runs."""

import pytest
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.training import ProfilerHook

from .linear import Job


def test_a_profiler_hook_may_be_made_before_its_graph_and_writes_what_it_wrote(tmp_path):
    hook = ProfilerHook(save_steps=3, output_dir=str(tmp_path / "profile"))
    assert Job(tmp_path / "job").run(9, hooks=[hook]) == 9
    assert len(list((tmp_path / "profile").glob("timeline-*.json"))) == 3


def test_the_old_profiler_hook_cannot_be_made_outside_a_graph(tmp_path):
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        tf1.train.ProfilerHook(save_steps=3, output_dir=str(tmp_path))
