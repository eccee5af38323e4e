"""A model_fn that MultiWorkerMirroredStrategy trained on two or three workers goes on, whoever is killed."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from migrate.verify import FAULTS, Program, run
from migrate.verify.faults.save import PATH_CALLS
from tests import nursery
from tests.interruption.workers.cluster import outputs_of, task_variables
from tests.kept_runs import IS_NEWEST

from .conftest import WrittenPair, assert_equal, final_variables, losses

SOURCE = Path(__file__).with_name("several_workers.py")
SURVIVOR_SECONDS = 90
"""The longest that docs/workers.md lets a worker go on without the one that was killed."""


class ClusterPair(WrittenPair):
    """Programs of which each start is one job of several workers.

    Args:
      folder: a new directory.
      count: how many workers.
    """

    def __init__(self, folder, count):
        super().__init__(SOURCE, folder)
        self.count = count
        # Three batches for each worker, so that what starts again after a save goes on where the Estimator's was.
        self.arguments = ["--rows", str(12 * count)]

    def run(self, program, model_dir, *arguments, tf_configs=None):
        """Runs a job to its end; returns what its processes printed."""
        python = self.old_python if program is self.old else self.new_python
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": "", "CUDA_VISIBLE_DEVICES": "-1"}
        environment.pop("TF_USE_LEGACY_KERAS", None)
        environment |= legacy_keras(self) if program is self.new else {}
        command = [python, str(program), "--model_dir", str(model_dir), *self.arguments, *map(str, arguments)]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "cwd": self.folder}
        told = [{**environment, "TF_CONFIG": each} for each in tf_configs or task_variables(self.count)]
        processes = [nursery.launch(command, env=each, **streams) for each in told]
        outputs = [output for output, _ in outputs_of(processes)]
        assert [process.returncode for process in processes] == [0] * len(told), outputs[0][-3000:]
        return outputs


def legacy_keras(pair):
    return {} if pair.new_python == pair.old_python else {"TF_USE_LEGACY_KERAS": "1"}


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two workers on one line of TensorFlow, three on the other."""
    return ClusterPair(tmp_path_factory.mktemp("workers") / "pair", 3 if IS_NEWEST else 2)


@pytest.fixture(scope="module")
def alone(pair):
    """What the Estimator left of nine steps, which it saw through on its own."""
    return pair.kept("alone", ("begun", "--max_steps", 3), ("end", "--max_steps", 9))


def faults_in_turn():
    """Saves are at 6 and 9: the last worker between, the chief in its save, the chief between, all at once."""
    return [
        FAULTS["worker-killed"](at=5),
        FAULTS["sigkill-in-save"](at=5, change=3, calls=PATH_CALLS),
        FAULTS["chief-killed"](at=8),
        FAULTS["all-killed"](at=8),
    ]


@pytest.fixture(scope="module")
def struck(pair, alone, tmp_path_factory):
    """The Estimator's job of three steps taken over, and a start of it for each fault."""
    directory = tmp_path_factory.mktemp("struck") / "model"
    shutil.copytree(alone / "begun", directory)
    told = ("--model_dir", "{model_dir}", "--max_steps", "9", *pair.arguments)
    program = Program(pair.new, pair.new_python, told, legacy_keras(pair), workers=pair.count, launch=nursery.launch)
    faults = faults_in_turn()
    return directory, [run(program, directory, fault) for fault in faults], faults[1]


@pytest.fixture(scope="module")
def finished(pair, struck):
    """That job when nothing strikes it any more, now with an evaluator."""
    directory, *_ = struck
    chief, evaluator, *workers = json.loads(task_variables(pair.count + 1)[0])["cluster"]["worker"]
    whole = {"chief": [chief], "worker": workers, "evaluator": [evaluator]}
    tasks = [(role, index) for role, addresses in whole.items() for index in range(len(addresses))]
    told = [json.dumps({"cluster": whole, "task": {"type": role, "index": index}}) for role, index in tasks]
    pair.run(pair.new, directory, "--max_steps", 9, tf_configs=told)
    return directory


def test_a_survivor_fails_in_its_time_and_says_that_a_worker_is_gone(struck):
    without_worker, *without_chief = struck[1]
    assert [start.code for start in without_chief] == [-9] * 3
    assert without_worker.code not in (0, -9)
    assert "A worker of this job is gone. Start all of them again" in without_worker.output
    for start in struck[1]:
        assert not start.timed_out
        assert start.ended - start.events_of("fault")[0]["time"] < SURVIVOR_SECONDS


def test_the_cluster_resumes_at_the_last_save_also_of_a_chief_that_was_killed_in_one(struck, finished):
    in_save = struck[2]
    assert in_save.changes_seen == in_save.change
    assert not in_save.complete
    assert not in_save.notes
    assert [start.started_at for start in struck[1]] == [3, 3, 3, 6]
    assert {int(path.stem.rpartition("-")[2]) for path in finished.glob("model.ckpt-*.index")} == {0, 3, 6, 9}


def test_it_ends_with_the_losses_and_variables_of_the_estimators_own_job(finished, alone):
    found, expected = losses(finished), losses(alone / "end")
    assert found.keys() >= {4, 5, 6, 7, 8, 9}
    assert {step: found[step] for step in expected} == expected
    # What starts again goes on from the mean of the workers' moving averages, which rounds.
    values, own = final_variables(finished), final_variables(alone / "end")
    assert_equal(values, own, rtol=1e-6)
    assert_equal(*({name: v for name, v in each.items() if "/moving_" not in name} for each in (values, own)))


def test_the_evaluator_evaluates_the_last_checkpoint_and_leaves(finished):
    (events,) = (finished / "eval").glob("events.*")
    assert events.stat().st_size > 0


def test_no_worker_but_the_chief_writes_into_the_directory(pair, finished, alone):
    made = {path.name for path in finished.iterdir() if path.is_dir()}
    others = {f"tmp_worker_{index}" for index in range(1, pair.count)}
    assert made - {"model.ckpt-6_temp"} == {"eval", *others}  # TensorFlow leaves what a killed save had begun
    for each in others:
        own = {path.name for path in (alone / "begun" / each).iterdir()}
        assert {path.name for path in (finished / each).iterdir()} == own


def test_without_tf_config_it_trains_and_evaluates_alone(pair, tmp_path):
    pair.run(pair.new, tmp_path, "--max_steps", 3, tf_configs=["{}"])
    assert sorted(losses(tmp_path)) == [1, 2, 3]
    assert [*(tmp_path / "eval").glob("events.*")]


def test_a_cluster_of_one_goes_on_with_the_estimators_numbers(tmp_path):
    pair = ClusterPair(tmp_path / "pair", 1)
    alone = pair.kept("one", ("begun", "--max_steps", 3), ("end", "--max_steps", 9))
    directory = tmp_path / "model"
    shutil.copytree(alone / "begun", directory)
    pair.run(pair.new, directory, "--max_steps", 9)
    assert losses(directory) == losses(alone / "end")
    assert_equal(final_variables(directory), final_variables(alone / "end"))
