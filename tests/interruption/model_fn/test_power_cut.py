"""A power cut at any moment of a save, or of the deletion after it, leaves a job that resumes there or one save before.

``python -m tests.benchmarks.power_cuts`` tries more subsets of what was not synced.
"""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.estimator.checkpoint_list import latest_checkpoint, repair_checkpoint_list
from migrate.recovery.estimator.model_checkpoints import saved_step
from tests.power_cuts import record, states
from tests.tensorflow.model_fn.linear import Job

ROOT = Path(__file__).parents[3]

SAVES = """
import sys
from tests.tensorflow.model_fn.linear import Job
Job(sys.argv[1], keep=int(sys.argv[2])).run(8)
"""


class Saved:
    """A job that saved at steps 0, 4 and 8, and what it did in its directory meanwhile.

    Args:
      folder: an empty one.
      keep: how many checkpoints stay.
      step: whose save is looked at, 4 or 8.
    """

    def __init__(self, folder, keep, step=8):
        program, directory = folder / "saves.py", folder / "model"
        program.write_text(SAVES)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [sys.executable, str(program), str(directory), str(keep)]
        calls = record(command, directory, folder / "trace", environment)
        # Event files and graph.pbtxt are not synced, and no job resumes from them.
        state = {call.file for call in calls if (call.added or "").startswith(("model.ckpt-", "checkpoint"))}
        self.calls = [call for call in calls if call.kind == "sync" or call.file in state]
        begun = {i: next(k for k, call in enumerate(self.calls) if f"ckpt-{i}" in (call.added or "")) for i in (4, 8)}
        self.first = begun[step]
        self.calls = self.calls[: begun.get(step + 4)]
        self._folder = folder / "left"
        Job(folder / "whole").run(8)
        self._values = {i: tf.train.load_variable(str(folder / f"whole/model.ckpt-{i}"), "w") for i in (0, 4, 8)}

    def resumes_at(self, state):
        """The step at which the job goes on from what a power cut left; its variables are those of that step."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        for name, data in state.items():
            (self._folder / name).write_bytes(data)
        repair_checkpoint_list(str(self._folder))
        path = latest_checkpoint(str(self._folder))
        assert path is not None
        step = saved_step(path)
        np.testing.assert_array_equal(tf.train.load_variable(path, "w"), self._values[step])
        assert tf.train.latest_checkpoint(str(self._folder)) == path  # which a session restores
        return step


@pytest.fixture(scope="module", params=[2, 1], ids=["two-kept", "one-kept"])
def saved(request, tmp_path_factory):
    return Saved(tmp_path_factory.mktemp("cut"), request.param)


def test_a_job_resumes_at_the_save_or_the_one_before(saved):
    found = [saved.resumes_at(state) for state in states(saved.calls, saved.first, most=128)]
    assert set(found) == {4, 8}
    assert len(found) > 100


def test_a_save_that_was_done_is_not_lost(saved):
    assert {saved.resumes_at(state) for state in states(saved.calls, len(saved.calls), most=2**12)} == {8}


def test_without_syncs_a_power_cut_can_lose_the_job(saved):
    """That the model of a power cut is strict enough to find a fault."""
    calls = [call for call in saved.calls if call.kind != "sync"]

    def is_lost(state):
        try:
            return saved.resumes_at(state) not in (4, 8)
        except (AssertionError, KeyError, ValueError):  # another step, or none
            return True

    assert any(is_lost(state) for state in states(calls, len(calls), most=200))
