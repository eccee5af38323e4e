"""A job of several workers survives the death of any of them, in the fit and in the custom-loop form.

The form that has runtime files takes turns with itself: they are in its tree, or in the installed package.
"""

import re
from collections import namedtuple
from functools import cache
from itertools import cycle

import numpy as np
import pytest

from tests.interruption.workers.cluster import run_job, write_mnist
from tests.kept_runs import IS_NEWEST
from tests.pairs import TF2

STEPS_PER_EPOCH, EPOCHS = 4, 3
LAST_STEP = STEPS_PER_EPOCH * EPOCHS
GLOBAL_BATCH = 24
"""An epoch is one pass over the examples, so that input that starts again after an epoch changes nothing."""

KILLS = {
    "two workers": {
        "the chief in a save": {0: "written:4"},
        "worker 1 in mid-epoch": {1: "step:6"},
        "both in a save": {0: "written:12", 1: "written:12"},
    },
    "three workers with a chief task": {
        "worker 1 of two in a save": {2: "written:4"},
        "the chief in mid-epoch": {0: "step:6"},
        "all in mid-epoch": {0: "step:10", 1: "step:10", 2: "step:10"},
    },
}
"""In a save and in mid-epoch, of the chief, of a worker and of all; each kill strikes what the one before left."""

CLUSTERS = {"two workers": {"count": 2}, "three workers with a chief task": {"count": 3, "has_chief": True}}
AT_HOME, OTHER = ("portable", "keras2") if IS_NEWEST else ("keras2", "portable")
TRAINED = [*((AT_HOME, cluster) for cluster in CLUSTERS), (OTHER, "two workers")]
"""The form that this line of TensorFlow is for trains in both clusters, the other in one, which dies in a save."""

Job = namedtuple("Job", "kills undisturbed starts saved leftovers")


@pytest.fixture(scope="module")
def jobs(new_python, legacy_keras, packaged, installed, tmp_path_factory):
    """A function that gives, once, a job that every kill strikes in turn, and another that nothing strikes."""
    return cache(
        lambda *job: trained(*job, new_python, legacy_keras, packaged, installed, tmp_path_factory.mktemp("j"))
    )


def trained(form, cluster, new_python, legacy_keras, packaged, installed, place):
    write_mnist(place / "mnist.npz", GLOBAL_BATCH * STEPS_PER_EPOCH)
    is_fit = form == "keras2"
    folders = cycle([TF2 / "keras2"] if is_fit else [TF2, packaged])

    def train(name, directory, faults=None):
        command = [
            *(str(next(folders) / "multi_worker_main.py"), "--data", str(place / "mnist.npz")),
            *("--model_dir", str(directory), "--validation_steps", "2"),
            *("--epochs", str(EPOCHS), "--steps_per_epoch", str(STEPS_PER_EPOCH)),
            *("--per_worker_batch_size", str(GLOBAL_BATCH // CLUSTERS[cluster]["count"])),
        ]
        env = legacy_keras if is_fit else {"PYTHONPATH": str(installed)}
        return run_job(new_python, command, place / name, faults, env=env, **CLUSTERS[cluster])

    undisturbed, directory = train("whole", place / "undisturbed"), place / "struck"
    kills = [*KILLS[cluster].values()][0 if form == AT_HOME else -1 :]
    starts, saved, leftovers = [], [], []
    for number, faults in enumerate([*kills, None]):
        starts.append(train(str(number), directory, faults))
        saved.append(last_saved_step(directory))
        leftovers.append([path.name for path in directory.rglob("workertemp*")])
    return Job(kills, undisturbed, starts, saved, leftovers)


@pytest.fixture(scope="module", params=TRAINED, ids="-".join)
def job(request, jobs):
    return jobs(*request.param)


def last_saved_step(directory):
    """The step of the newest checkpoint that is listed; BackupAndRestore numbers them by epoch."""
    listed = next((path for path in directory.rglob("checkpoint") if "workertemp" not in str(path)), None)
    if listed is None:
        return 0
    number = int(re.search(r'^model_checkpoint_path: ".*-(\d+)"', listed.read_text(), re.MULTILINE)[1])
    return number * STEPS_PER_EPOCH if listed.parent.name == "chief" else number


def test_an_undisturbed_job_ends_at_its_last_step(job):
    assert {worker.code for worker in job.undisturbed} == {0}
    assert all(worker.steps == [*range(1, LAST_STEP + 1)] for worker in job.undisturbed)


def test_three_workers_train_what_two_do(jobs):
    two, three = (jobs(AT_HOME, cluster).undisturbed[0].weights for cluster in CLUSTERS)
    for one, other in zip(two, three, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-6)


def test_every_kill_strikes_who_it_is_meant_for(job):
    for start, kill in zip(job.starts, job.kills, strict=False):
        assert [index for index, worker in enumerate(start) if worker.code == -9] == list(kill)


def test_a_survivor_fails_within_its_time_and_says_that_a_worker_is_gone(job):
    for worker in (worker for start in job.starts[:-1] for worker in start):
        assert worker.code is not None
        assert worker.code != 0
        if worker.code != -9:
            assert "Unavailable" in worker.output or "unavailable" in worker.output


def test_the_cluster_resumes_at_the_last_save(job):
    for start, saved in zip(job.starts[1:], job.saved, strict=False):
        assert [worker.steps[:1] for worker in start] == [[saved + 1]] * len(start)


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
    first, *others = (worker.weights for worker in job.starts[-1])
    for weights in others:
        for one, other in zip(first, weights, strict=True):
            np.testing.assert_array_equal(one, other)


def test_what_a_killed_worker_left_behind_is_gone_after_the_next_start(job):
    assert any(job.leftovers[:-1])
    assert job.leftovers[-1] == []
