"""The stand-in of ``tests/benchmarks/resume_starts`` begins its starts with what the real thing begins them with."""

import shutil
import sys

import pytest

from tests.benchmarks.resume_starts import repositories
from tests.benchmarks.resume_starts.jobs import Job, close_servers, length, longest
from tests.interruption.resume.stopped import SHAPES

EPOCHS_OF_THE_REAL_THING = [(0, 0), (2, 2), (3, 3)]
"""The first epoch of each start, and how many epochs its weights had seen, typed from a run of the programs below on
TensorFlow 2.15.1 on 2026-11-26: the old code killed in its third epoch (``batch:2:2``), the new one in its fourth
(``batch:3:1``), and the new one to its end. The weights were those with which an epoch had ended, by their sums."""


TRAINED_MODELS = {"one_file": 1, "resume_flag": 1, "latest_checkpoint": 1, "two_tapes": 2, "stacked_gan": 2}


@pytest.fixture(scope="module", params=list(TRAINED_MODELS))
def starts(request, tmp_path_factory):
    """Three starts of a program under the stand-in."""
    shape, folder = request.param, tmp_path_factory.mktemp("starts")
    (folder / "source").mkdir()
    for name in (f"{shape}.py", "job.py"):
        shutil.copy(SHAPES / name, folder / "source")
    repository = repositories.read(folder / "source", folder / "repository")
    shutil.copytree(repository.plain, folder / "job")
    job = Job(repository, f"{shape}.py", folder / "job", ".", sys.executable)
    job.environment = {"JOB_RECORD": "record", "JOB_KILL": "never:0:0"}
    args = ["files", "6", *(["--resume"] if shape == "resume_flag" else [])]
    kills = [f"batch:{batches * TRAINED_MODELS[shape] + 1}" for batches in (10, 5)]
    yield [job.start("old", args, kills[0]), job.start("new", args, kills[1]), job.start("new", args)]
    close_servers()


def test_each_start_begins_with_the_epoch_and_the_weights_of_the_real_thing(starts):
    for start, (epoch, seen) in zip(starts, EPOCHS_OF_THE_REAL_THING, strict=True):
        first = start.begins[0]
        assert first.epoch in (epoch, None)
        assert length(longest(first.chains)) == 4 * seen
    assert [bool(start.of("killed")) for start in starts] == [True, True, False]
    assert starts[-1].is_ended and length(longest(starts[-1].final)) == 24


def test_a_layer_that_was_trained_is_told_from_one_of_another_start(starts):
    origins = {origin for start in starts for one in start.begins for origin, _ in one.chains}
    assert origins == {"new in start 0"}
