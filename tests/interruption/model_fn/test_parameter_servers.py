"""A cluster with parameter servers resumes at its last save, whichever task is killed, as an Estimator's does."""

import os
from pathlib import Path

import pytest
import tensorflow as tf

from migrate.verify import FAULTS, Program, run
from tests import nursery
from tests.kept_runs import IS_NEWEST

from .conftest import WrittenPair

AT, END = 25, 60
KILLED = ["chief", "worker", "ps", "evaluator"]


SIDES = ["migrated"] if IS_NEWEST else ["estimator", "migrated"]
"""An Estimator's own cluster is the same beside any new TensorFlow."""


@pytest.fixture(scope="module", params=SIDES)
def cluster(request, tmp_path_factory):
    """A job of a chief, two workers, two parameter servers and an evaluator."""
    source = Path(__file__).with_name("parameter_servers.py")
    pair = WrittenPair(source, tmp_path_factory.mktemp("servers") / "pair")
    sides = {"estimator": (pair.old, pair.old_python), "migrated": (pair.new, pair.new_python)}
    script, python = sides[request.param]
    given = ("--model_dir", "{model_dir}", "--max_steps", str(END))
    beside = {"chief": True, "workers": 2, "parameter_servers": 2, "evaluator": True}
    environment = {"CUDA_VISIBLE_DEVICES": "-1"}
    return Program(script, python, given, environment, launch=nursery.launch, **beside)


@pytest.fixture(scope="module", params=KILLED)
def killed(request, cluster, tmp_path_factory):
    """A start in which a task is killed, what it had saved, and a start after that in the same directory."""
    directory = tmp_path_factory.mktemp("killed") / "model"
    struck = run(cluster, directory, FAULTS[f"{request.param}-killed"](at=AT), timeout=90)
    saved = steps_saved(directory)
    return request.param, directory, struck, saved, run(cluster, directory, timeout=90)


def steps_saved(directory):
    return sorted(int(path.stem.rpartition("-")[2]) for path in directory.glob("model.ckpt-*.index"))


def test_the_fault_strikes_once_training_has_begun(killed):
    task, _, struck, saved, _ = killed
    assert struck.events_of("fault"), struck.output
    assert saved  # the chief saves before anybody's first step, and then when it comes to it
    if task == "chief":
        assert struck.code == -9


def test_the_job_resumes_at_its_last_save(killed):
    """Without a worker or the evaluator the others may come to the end, before they are missed."""
    task, _, _, saved, again = killed
    is_done = task in ("worker", "evaluator") and max(saved) >= END
    restored = [event["step"] for event in again.events_of("restore") if event["phase"] == "train"]
    assert restored == ([] if is_done else [max(saved)])


def test_it_ends_at_its_last_step_and_that_is_evaluated(killed):
    _, directory, _, _, again = killed
    assert again.code == 0, again.output
    last = steps_saved(directory)[-1]
    # TensorFlow's hook reads the number beside the update: each of three tasks may be in a step before the last, and
    # take one more. They go on while the chief saves, too, so that the number saved is that of its file or a later one.
    most = END - 1 + 2 * 3
    assert END <= last <= most
    assert last <= tf.train.load_variable(os.fspath(directory), "global_step") <= most
    assert [*(directory / "eval").glob("events.*")]
