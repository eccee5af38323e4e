"""A job that freezes layers, trains, and trains further without: each stage goes on where a kill has left it."""

import itertools
import os

import pytest

from tests.interruption.resume.stopped import STAGED, Job


def staged(job, python, *kills):
    for kill in kills:
        status, output = job.start(job.new, python, kill=kill)
        assert status in ((0,) if kill is None else (-9, 0)), output


def check(job):
    """Each start begins with the weights that the one before it had at the end of its last epoch."""
    starts = job.starts()
    for (before, ends), (event, _) in itertools.pairwise(starts):
        known = {before["start"]: before["weights"], **{end["end"] + 1: end["weights"] for end in ends}}
        assert event["start"] in known, (event, ends)
        assert event["weights"] == known[event["start"]]


def test_a_job_that_was_killed_in_its_second_stage_goes_on_there(old_python, new_python, tmp_path):
    job = Job("two_stages", tmp_path, STAGED)
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    staged(job, new_python, "batch:2:3", "batch:4:1", "save:4:20", None)
    begun = [event["start"] for event, _ in job.starts()]
    assert begun[:4] == [0, 2, 2, 4] and begun[4] in (4, 5), begun
    assert job.events()[-1]["end"] == 5
    check(Later(job))
    staged(job, new_python, None)
    assert [event["start"] for event, _ in job.starts()] == begun  # a finished job trains nothing


def test_a_stage_that_a_callback_has_ended_is_not_trained_again(new_python, tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "JOB_STOP", "1")
    job = Job("two_stages", tmp_path, STAGED)
    staged(job, new_python, "batch:4:1", None)
    assert [event["start"] for event, _ in job.starts()] == [0, 4]
    assert [end["end"] for _, ends in job.starts() for end in ends] == [0, 1, 3, 4, 5]


@pytest.mark.parametrize("kill", ["batch:1:1", "batch:3:2"])
def test_tf_keras_goes_on_in_either_stage(kill, new_python, legacy_keras, tmp_path):
    job = Job("two_stages", tmp_path, STAGED)
    for one in (kill, None):
        status, output = job.start(job.new, new_python, legacy_keras=bool(legacy_keras), kill=one)
        assert status == (-9 if one else 0), output
    assert [event["start"] for event, _ in job.starts()] == [0, int(kill[6])]
    check(job)


def test_each_turn_of_a_loop_goes_on_in_its_own_directory_and_one_that_has_ended_is_not_trained_again(
    new_python, tmp_path
):
    job = Job("folds", tmp_path, STAGED)
    staged(job, new_python, "batch:1:2", "batch:4:1", "save:5:20", None)
    begun = [(event["start"], event["steps"]) for event, _ in job.starts()]
    assert begun[:4] == [(0, 0), (1, 4), (3, 0), (4, 4)], begun
    weights = {end["end"]: end["weights"] for _, ends in job.starts() for end in ends}
    assert sorted(weights) == [0, 1, 2, 3, 4, 5]
    assert all(event["weights"] == weights[event["start"] - 1] for event, _ in job.starts() if event["start"] % 3)
    ended = len(job.events())
    staged(job, new_python, None)
    assert len(job.events()) == ended


def test_a_turn_that_a_callback_has_ended_is_not_trained_again(new_python, tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "JOB_STOP", "1")
    job = Job("folds", tmp_path, STAGED)
    staged(job, new_python, "batch:4:1", None)
    assert [end["end"] for _, ends in job.starts() for end in ends] == [0, 1, 3, 4, 5]


class Later:
    """The starts of a job under the new code."""

    def __init__(self, job):
        self.starts = lambda: job.starts()[1:]
