"""A job of several workers survives the death of any of them, in the fit and in the custom-loop form."""

import re
from collections import namedtuple

import numpy as np
import pytest

from tests.interruption.workers.cluster import run_job, write_mnist
from tests.pairs import TF2

STEPS_PER_EPOCH, EPOCHS = 4, 3
LAST_STEP = STEPS_PER_EPOCH * EPOCHS
GLOBAL_BATCH = 24
"""An epoch is one pass over the examples, so that input that starts again after an epoch changes nothing."""

KILLS = {
    "worker 1 in a save": {1: "written:4"},
    "worker 1 in mid-epoch": {1: "step:6"},
    "the chief in a save": {0: "written:8"},
    "the chief in mid-epoch": {0: "step:10"},
    "both at once": {0: "step:10", 1: "step:10"},
}
NUMBERS = range(len(KILLS))

Job = namedtuple("Job", "undisturbed starts saved leftovers")


@pytest.fixture(scope="module", params=["portable", "keras2"])
def trained(request, new_python, legacy_keras, tmp_path_factory):
    """Start the pair's program: ``trained(directory, faults)``, as several workers."""
    place = tmp_path_factory.mktemp(request.param)
    write_mnist(place / "mnist.npz", GLOBAL_BATCH * STEPS_PER_EPOCH)
    is_fit = request.param == "keras2"
    folder = TF2 / "keras2" if is_fit else TF2

    def train(name, directory, faults=None, count=2, **options):
        command = [
            *(str(folder / "multi_worker_main.py"), "--data", str(place / "mnist.npz")),
            *("--model_dir", str(place / directory), "--validation_steps", "2"),
            *("--epochs", str(EPOCHS), "--steps_per_epoch", str(STEPS_PER_EPOCH)),
            *("--per_worker_batch_size", str(GLOBAL_BATCH // count)),
        ]
        return run_job(new_python, command, place / name, faults, count, env=legacy_keras if is_fit else {}, **options)

    train.place = place
    return train


@pytest.fixture(scope="module")
def job(trained):
    """One job that every kill strikes in turn, and another that nothing strikes."""
    undisturbed = trained("undisturbed", "whole")
    directory = trained.place / "struck"
    starts, saved, leftovers = [], [], []
    for number, faults in enumerate([*KILLS.values(), None]):
        starts.append(trained(f"start-{number}", "struck", faults))
        saved.append(last_saved_step(directory))
        leftovers.append([path.name for path in directory.rglob("workertemp*")])
    return Job(undisturbed, starts, saved, leftovers)


def last_saved_step(directory):
    """The step of the newest checkpoint that is listed; BackupAndRestore numbers them by epoch."""
    listed = next((path for path in directory.rglob("checkpoint") if "workertemp" not in str(path)), None)
    if listed is None:
        return 0
    number = int(re.search(r'^model_checkpoint_path: ".*-(\d+)"', listed.read_text(), re.MULTILINE)[1])
    return number * STEPS_PER_EPOCH if listed.parent.name == "chief" else number


def test_an_undisturbed_job_ends_at_its_last_step(job):
    assert [worker.code for worker in job.undisturbed] == [0, 0]
    assert [worker.steps for worker in job.undisturbed] == [[*range(1, LAST_STEP + 1)]] * 2


@pytest.mark.parametrize("number", NUMBERS, ids=KILLS)
def test_every_kill_strikes_who_it_is_meant_for(job, number):
    codes = [worker.code for worker in job.starts[number]]
    assert [index for index, code in enumerate(codes) if code == -9] == list([*KILLS.values()][number])


@pytest.mark.parametrize("number", NUMBERS, ids=KILLS)
def test_a_survivor_fails_within_its_time_and_says_that_a_worker_is_gone(job, number):
    for worker in job.starts[number]:
        assert worker.code is not None
        assert worker.code != 0
        if worker.code != -9:
            assert "Unavailable" in worker.output or "unavailable" in worker.output


@pytest.mark.parametrize("number", NUMBERS, ids=KILLS)
def test_the_cluster_resumes_at_the_last_save(job, number):
    assert [worker.steps[0] for worker in job.starts[number + 1]] == [job.saved[number] + 1] * 2


def test_no_kill_costs_more_than_an_epoch(job):
    for start, saved in zip(job.starts, job.saved, strict=True):
        assert 0 <= max(worker.steps[-1] for worker in start) - saved <= STEPS_PER_EPOCH


def test_the_struck_job_ends_where_the_undisturbed_one_ends_with_equal_weights(job):
    for struck, whole in zip(job.starts[-1], job.undisturbed, strict=True):
        assert struck.code == 0
        assert struck.steps[-1] == LAST_STEP
        for one, other in zip(struck.weights, whole.weights, strict=True):
            np.testing.assert_array_equal(one, other)


def test_all_workers_have_the_same_weights(job):
    for one, other in zip(*(worker.weights for worker in job.starts[-1]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_a_killed_worker_left_behind_is_gone_after_the_next_start(job):
    assert "workertemp" in "".join(job.leftovers[0])
    assert job.leftovers[-1] == []


def test_three_workers_with_a_chief_task_resume_and_end_as_two_do(trained, job):
    killed = trained("three-killed", "three", {2: "step:10"}, count=3, has_chief=True)
    again = trained("three-again", "three", count=3, has_chief=True)
    assert [worker.code == 0 for worker in killed] == [False] * 3
    assert [worker.steps[0] for worker in again] == [2 * STEPS_PER_EPOCH + 1] * 3
    assert [worker.code for worker in again] == [0] * 3
    for three, two in zip(again[0].weights, job.undisturbed[0].weights, strict=True):
        np.testing.assert_allclose(three, two, rtol=1e-3, atol=1e-6)
