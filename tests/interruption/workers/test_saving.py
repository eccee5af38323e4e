"""What chief and workers save together is whole, there once, and read again."""

import numpy as np
import pytest

from tests.interruption.workers.cluster import run_job, write_mnist
from tests.pairs import TF2

BATCH, STEPS_PER_EPOCH, EPOCHS = 16, 2, 3


@pytest.fixture(scope="module")
def start(new_python, installed, tmp_path_factory):
    """Start an example as two workers: ``start(example, name, directory, faults)``."""
    place = tmp_path_factory.mktemp("saving")
    write_mnist(place / "mnist.npz", BATCH * STEPS_PER_EPOCH)

    def start(example, name, directory, faults=None, env=None):
        command = [
            *(str(example), "--data", str(place / "mnist.npz"), "--model_dir", str(place / directory)),
            *("--global_batch_size", str(BATCH), "--steps_per_epoch", str(STEPS_PER_EPOCH), "--epochs", str(EPOCHS)),
        ]
        env = {"PYTHONPATH": str(installed), **(env or {})}
        return run_job(new_python, command, place / name, faults, env=env)

    start.place = place
    return start


def epochs(worker):
    return [int(line.split()[1]) for line in worker.output.splitlines() if line.startswith("epoch ")]


@pytest.mark.parametrize("form", ["portable", "packaged", "keras2"])
def test_a_model_that_all_workers_save_is_there_once_and_loads(start, form, packaged, legacy_keras):
    folder = {"portable": TF2, "packaged": packaged, "keras2": TF2 / "keras2"}[form]
    env = legacy_keras if form == "keras2" else {}
    workers = start(folder / "multi_worker_saving.py", form, f"{form}-model", env=env)
    assert [worker.code for worker in workers] == [0, 0], workers[0].output
    assert [path.name for path in (start.place / f"{form}-model").iterdir()] == ["mnist.keras"]


def test_one_checkpoint_that_is_always_the_newest_survives_a_kill_of_the_chief_in_a_save(start):
    example = TF2 / "multi_worker_checkpoint.py"
    whole = start(example, "whole", "whole-job")
    killed = start(example, "killed", "struck-job", {0: "written:2"})
    again = start(example, "again", "struck-job")
    assert [epochs(worker) for worker in whole] == [[1, 2, 3]] * 2
    assert killed[0].code == -9
    assert killed[1].code not in (0, None)
    assert [epochs(worker) for worker in again] == [[2, 3]] * 2
    for struck, undisturbed in zip(again[0].weights, whole[0].weights, strict=True):
        np.testing.assert_array_equal(struck, undisturbed)
    assert len(list((start.place / "struck-job").glob("*.index"))) == 1
    assert not list((start.place / "struck-job").glob("workertemp*"))
