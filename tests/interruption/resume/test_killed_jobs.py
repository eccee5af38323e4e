"""A job that is killed goes on where it stopped: its last weights are those of an undisturbed run, bit for bit."""

import numpy as np
import pytest

from tests.interruption.resume.killed_jobs import KilledJob
from tests.kept_runs import IS_NEWEST

SHAPES = (
    "weights", "whole_model", "best", "subclassed", "unbuilt", "stages", "mixed", "mirrored", "annealed", "gan", "loop",
    "frozen", "pairs", "own_loop", "at_end",
)  # fmt: skip


WITHOUT_FILES = ("best", "own_loop", "at_end")
"""Jobs with epochs after which the program saves nothing: saved as often as that takes less than the training."""


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """Returns the last weights of a shape that nothing interrupts."""
    known = {}

    def final(python, shape, *arguments):
        key = (python, shape, *arguments)
        if key not in known:
            job = KilledJob(tmp_path_factory.mktemp("undisturbed") / "job", python)
            job.start(shape, *arguments)
            assert not (job.directory / ".recovery").exists(), "the recovery is removed when the program ends"
            known[key] = job.final
        return known[key]

    return final


@pytest.mark.parametrize("shape", SHAPES)
def test_a_job_killed_in_mid_epoch_twice_ends_with_the_same_weights(shape, new_python, undisturbed, tmp_path):
    job = KilledJob(tmp_path / "job", new_python)
    job.start(shape, "--eager", kill="batch:2:2")
    assert job.start(shape, "--eager", kill="batch:4:1")[0] == 2 or shape in WITHOUT_FILES
    assert job.start(shape, "--eager")[0] == 4 or shape in WITHOUT_FILES
    np.testing.assert_array_equal(job.final, undisturbed(new_python, shape, "--eager"))
    assert job.kept == []


@pytest.mark.parametrize("kills", [("file:2:4", "state:2:6"), ("state:3:2", "file:1:9"), ("file:1:1", "file:3:12")])
def test_a_job_killed_within_saves_ends_with_the_same_weights(kills, new_python, undisturbed, tmp_path):
    job, shape = KilledJob(tmp_path / "job", new_python), "whole_model" if IS_NEWEST else "best"
    for kill in kills:
        job.start(shape, "--eager", kill=kill, status=(-9, 0))
    job.start(shape, "--eager")
    np.testing.assert_array_equal(job.final, undisturbed(new_python, shape, "--eager"))


@pytest.mark.parametrize("kill", ["file:5:0", "file:6:0"] if IS_NEWEST else ["file:6:8"])
def test_a_job_killed_between_the_files_of_two_models_ends_with_equal_weights(kill, new_python, undisturbed, tmp_path):
    job = KilledJob(tmp_path / "job", new_python)
    job.start("pairs", "--eager", kill=kill, status=(-9, 0))
    job.start("pairs", "--eager", kill=kill, status=(-9, 0))
    job.start("pairs", "--eager")
    np.testing.assert_array_equal(job.final, undisturbed(new_python, "pairs", "--eager"))


def test_a_traced_job_ends_with_the_same_weights(new_python, undisturbed, tmp_path):
    job = KilledJob(tmp_path / "job", new_python)
    job.start("weights", kill="batch:2:2")
    assert job.start("weights")[0] == 2
    np.testing.assert_array_equal(job.final, undisturbed(new_python, "weights"))


def test_a_job_killed_twice_before_its_later_stage_has_saved_begins_no_stage_anew(new_python, tmp_path):
    job = KilledJob(tmp_path / "job", new_python)
    begun = [job.start("stages", "--eager", kill=kill)[0] for kill in ("batch:3:1", "batch:3:2", None)]
    assert begun == [0, 3, 3]


@pytest.mark.parametrize("kill", ["end:3", "batch:4:1"])
def test_a_job_that_counts_its_files_trains_no_epoch_twice(kill, new_python, undisturbed, tmp_path):
    """Its file is written with the last batch of an epoch, and no epoch is saved for itself."""
    job = KilledJob(tmp_path / "job", new_python)
    job.start("every_two", kill=kill)
    assert job.start("every_two")[0] == 4
    np.testing.assert_array_equal(job.final, undisturbed(new_python, "every_two"))


def test_a_job_killed_before_it_saves_its_model_trains_no_epoch_again(new_python, tmp_path):
    job = KilledJob(tmp_path / "job", new_python)
    assert job.start("at_end", "--eager", kill="after") == [0, 1, 2, 3, 4, 5]
    assert job.start("at_end", "--eager") == []
    assert job.start("at_end", "--eager") == [0, 1, 2, 3, 4, 5]
