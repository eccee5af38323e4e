"""A job of several workers survives the death of any of them, in the fit and in the custom-loop form.

The form that has runtime files takes turns with itself: they are in its tree, or in the installed package.
"""

import re
from collections import namedtuple
from itertools import cycle

import numpy as np
import pytest

from tests.interruption.workers.cluster import run_job, write_mnist
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

Job = namedtuple("Job", "kills undisturbed starts saved leftovers")

of_each_kill = pytest.mark.parametrize(
    ("cluster", "number"),
    [
        pytest.param(cluster, number, id=f"{cluster}-{kill}")
        for cluster, kills in KILLS.items()
        for number, kill in enumerate(kills)
    ],
)


@pytest.fixture(scope="module", params=["portable", "keras2"])
def trained(request, new_python, legacy_keras, packaged, installed, tmp_path_factory):
    """Start the pair's program: ``trained(cluster, name, directory, faults)``, as several workers."""
    place = tmp_path_factory.mktemp(request.param)
    write_mnist(place / "mnist.npz", GLOBAL_BATCH * STEPS_PER_EPOCH)
    is_fit = request.param == "keras2"
    folders = cycle([TF2 / "keras2"] if is_fit else [TF2, packaged])

    def train(cluster, name, directory, faults=None):
        command = [
            *(str(next(folders) / "multi_worker_main.py"), "--data", str(place / "mnist.npz")),
            *("--model_dir", str(place / directory), "--validation_steps", "2"),
            *("--epochs", str(EPOCHS), "--steps_per_epoch", str(STEPS_PER_EPOCH)),
            *("--per_worker_batch_size", str(GLOBAL_BATCH // CLUSTERS[cluster]["count"])),
        ]
        env = legacy_keras if is_fit else {"PYTHONPATH": str(installed)}
        return run_job(new_python, command, place / name, faults, env=env, **CLUSTERS[cluster])

    train.place = place
    return train


@pytest.fixture(scope="module")
def undisturbed(trained):
    """For each cluster a job that nothing strikes."""
    return {cluster: trained(cluster, f"{cluster} whole", f"{cluster} undisturbed") for cluster in KILLS}


@pytest.fixture(scope="module")
def jobs(trained, undisturbed):
    """For each cluster one job that every kill strikes in turn, and another that nothing strikes."""
    return {cluster: struck_by_all(trained, cluster, undisturbed[cluster]) for cluster in KILLS}


def struck_by_all(trained, cluster, undisturbed):
    kills = [*KILLS[cluster].values()]
    directory = trained.place / f"{cluster} struck"
    starts, saved, leftovers = [], [], []
    for number, faults in enumerate([*kills, None]):
        starts.append(trained(cluster, f"{cluster} {number}", directory.name, faults))
        saved.append(last_saved_step(directory))
        leftovers.append([path.name for path in directory.rglob("workertemp*")])
    return Job(kills, undisturbed, starts, saved, leftovers)


def last_saved_step(directory):
    """The step of the newest checkpoint that is listed; BackupAndRestore numbers them by epoch."""
    listed = next((path for path in directory.rglob("checkpoint") if "workertemp" not in str(path)), None)
    if listed is None:
        return 0
    number = int(re.search(r'^model_checkpoint_path: ".*-(\d+)"', listed.read_text(), re.MULTILINE)[1])
    return number * STEPS_PER_EPOCH if listed.parent.name == "chief" else number


def test_an_undisturbed_job_ends_at_its_last_step(undisturbed):
    for workers in undisturbed.values():
        assert {worker.code for worker in workers} == {0}
        assert all(worker.steps == [*range(1, LAST_STEP + 1)] for worker in workers)


def test_three_workers_train_what_two_do(undisturbed):
    two, three = (workers[0].weights for workers in undisturbed.values())
    for one, other in zip(two, three, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-6)


@of_each_kill
def test_every_kill_strikes_who_it_is_meant_for(jobs, cluster, number):
    job = jobs[cluster]
    codes = [worker.code for worker in job.starts[number]]
    assert [index for index, code in enumerate(codes) if code == -9] == list(job.kills[number])


@of_each_kill
def test_a_survivor_fails_within_its_time_and_says_that_a_worker_is_gone(jobs, cluster, number):
    job = jobs[cluster]
    for worker in job.starts[number]:
        assert worker.code is not None
        assert worker.code != 0
        if worker.code != -9:
            assert "Unavailable" in worker.output or "unavailable" in worker.output


@of_each_kill
def test_the_cluster_resumes_at_the_last_save(jobs, cluster, number):
    job = jobs[cluster]
    firsts = [worker.steps[:1] for worker in job.starts[number + 1]]
    assert firsts == [[job.saved[number] + 1]] * len(firsts)


@pytest.mark.parametrize("cluster", KILLS)
def test_no_kill_costs_more_than_an_epoch(jobs, cluster):
    job = jobs[cluster]
    for start, saved in zip(job.starts, job.saved, strict=True):
        assert 0 <= max(worker.steps[-1] for worker in start) - saved <= STEPS_PER_EPOCH


@pytest.mark.parametrize("cluster", KILLS)
def test_the_struck_job_ends_where_the_undisturbed_one_ends_with_equal_weights(jobs, cluster):
    job = jobs[cluster]
    for struck, whole in zip(job.starts[-1], job.undisturbed, strict=True):
        assert struck.code == 0
        assert struck.steps[-1] == LAST_STEP
        for one, other in zip(struck.weights, whole.weights, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("cluster", KILLS)
def test_all_workers_have_the_same_weights(jobs, cluster):
    job = jobs[cluster]
    first, *others = (worker.weights for worker in job.starts[-1])
    for weights in others:
        for one, other in zip(first, weights, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("cluster", KILLS)
def test_what_a_killed_worker_left_behind_is_gone_after_the_next_start(jobs, cluster):
    job = jobs[cluster]
    assert any(job.leftovers[:-1])
    assert job.leftovers[-1] == []
