"""A job that is killed goes on where it stopped: its last weights are those of an undisturbed run, bit for bit."""

import numpy as np
import pytest

from tests.interruption.resume.killed_jobs import KilledJob

SHAPES = (
    "weights", "whole_model", "best", "subclassed", "unbuilt", "stages", "mixed", "mirrored", "annealed", "gan", "loop",
    "own_loop", "at_end",
)  # fmt: skip


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
    assert job.start(shape, kill="batch:2:2") == [0, 1, 2]
    assert job.start(shape, kill="batch:4:1") == [2, 3, 4]
    assert job.start(shape) == [4, 5]
    np.testing.assert_array_equal(job.final, undisturbed(new_python, shape))
    assert job.kept == []
