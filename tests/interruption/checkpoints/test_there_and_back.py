"""A job moves to its migrated Keras program and back again, and each goes on where the other stood."""

import os
import shutil
import subprocess

import numpy as np
import pytest
import tensorflow as tf

from migrate.pipeline.run import run as codemod
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run
from tests.pairs import LEGACY, ROOT, put

PROGRAM = LEGACY / "keras_to_estimator.py"
INSTRUCTION_SETS = ({"TF_ENABLE_ONEDNN_OPTS": "0"}, {"ONEDNN_MAX_CPU_ISA": "AVX2"}, {"ONEDNN_MAX_CPU_ISA": "SSE41"})


def start(interpreter, *command):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    return nursery.run([os.environ[interpreter], *map(str, command)], environment)


def run(interpreter, *command):
    done = start(interpreter, *command)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """The folder of a job: the Estimator to 10, the migrated program to 20, the Estimator to 30; and it alone."""
    folder = tmp_path_factory.mktemp("moved")
    legacy = shutil.copy(PROGRAM, folder)
    migrated = folder / "migrated" / PROGRAM.name
    put(codemod([str(legacy)], Settings(), jobs=1, progress=None).changes, folder, migrated.parent)
    alone = kept_run(f"there_and_back-{PROGRAM.stem}", [legacy, __file__], lambda place: run_alone(legacy, place))
    copy_job(alone / "at_10", folder / "old")
    convert = ("-m", "migrate", "checkpoint", "--for", migrated)
    run("MIGRATE_NEW_PYTHON", *convert, folder / "old", folder / "new")
    run("MIGRATE_NEW_PYTHON", migrated, "--model_dir", folder / "new", "--max_steps", 20)
    back = ("--to-estimator", "--like", folder / "old")
    run("MIGRATE_NEW_PYTHON", *convert, folder / "new", folder / "back", *back)
    run("MIGRATE_OLD_PYTHON", legacy, "--model_dir", folder / "back", "--max_steps", 30)
    # Keras's optimizers do not round as the Estimator's do.
    return folder, migrated, alone / "at_30", 4 * rounding(PROGRAM, alone)


def rounding(legacy, alone):
    """How far the Estimator ends from itself where it rounds otherwise, in parts of a variable's largest value.

    From its checkpoint of step 10 it trains to step 30 under other instruction sets, and from that checkpoint with
    every number one unit in the last place away.
    """

    def make(place):
        common = [os.environ["MIGRATE_OLD_PYTHON"], legacy, "--max_steps", 30, "--model_dir"]
        for number, settings in enumerate([*INSTRUCTION_SETS, {}, {}]):
            copy_job(alone / "at_10", place / str(number))
            if not settings:
                nudge(place / str(number) / "model.ckpt-10", np.random.RandomState(number))
            environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **settings}
            # TensorFlow reads the settings while it is imported, so no process of the nursery will do.
            subprocess.run([*map(str, common), place / str(number)], env=environment, check=True, capture_output=True)

    ends = kept_run(f"there_and_back_rounding-{legacy.stem}", [legacy, __file__], make)
    expected = values(alone / "at_30" / "model.ckpt-30")
    found = [values(ends / str(number) / "model.ckpt-30") for number in range(len(INSTRUCTION_SETS) + 2)]
    return max(distance(one[name], value) for one in found for name, value in expected.items())


def nudge(path, random):
    """Write a checkpoint anew, each of whose float32 numbers is moved by a unit in the last place, or stays."""
    kept = values(path)
    reader = tf.train.load_checkpoint(str(path))
    names = sorted(reader.get_variable_to_shape_map())
    tensors = [reader.get_tensor(name) for name in names]
    for at, name in enumerate(names):
        if name in kept and kept[name].dtype == np.float32:
            steps = random.choice([-1, 0, 1], kept[name].shape)
            tensors[at] = (kept[name] * (1 + steps * np.finfo(np.float32).eps)).astype(np.float32)
    tf.raw_ops.SaveV2(prefix=str(path), tensor_names=names, shape_and_slices=[""] * len(names), tensors=tensors)


def values(path):
    """The variables of a checkpoint, without what describes how objects hang together."""
    reader = tf.train.load_checkpoint(str(path))
    found = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    return {name: np.asarray(value) for name, value in found.items() if not isinstance(value, bytes)}


def distance(found, expected):
    """The largest difference, in parts of the largest value."""
    scale = np.max(np.abs(expected), initial=0)
    return np.max(np.abs(found - expected), initial=0) / scale if scale else 0.0


def copy_job(source, target):
    """Copy a model_dir: a file ``checkpoint`` with whole paths would have the copy delete what stands in the source."""
    shutil.copytree(source, target)
    listed = target / "checkpoint"
    listed.write_text(listed.read_text().replace(f"{source}/", ""))


def run_alone(legacy, place):
    """The Estimator's directories as they are at three steps."""
    before = None
    for steps in (10, 20, 30):
        directory = place / f"at_{steps}"
        if before:
            copy_job(before, directory)
        run("MIGRATE_OLD_PYTHON", legacy, "--model_dir", directory, "--max_steps", steps)
        before = directory


def test_after_all_it_has_what_the_estimator_alone_comes_to(moved):
    folder, _, alone, tolerance = moved
    back, alone = (tf.train.load_checkpoint(str(path / "model.ckpt-30")) for path in (folder / "back", alone))
    assert back.get_variable_to_shape_map() == alone.get_variable_to_shape_map()
    for name in alone.get_variable_to_shape_map():
        found, expected = back.get_tensor(name), alone.get_tensor(name)
        if isinstance(expected, bytes):  # how objects hang together, for a Keras model's Estimator
            assert found == expected
            continue
        assert found.shape == expected.shape
        assert distance(found, expected) <= tolerance, name


def test_the_migrated_program_in_the_old_directory_tells_the_command(moved):
    folder, migrated, *_ = moved
    done = start("MIGRATE_NEW_PYTHON", migrated, "--model_dir", folder / "old", "--max_steps", 20)
    assert done.returncode != 0
    assert f"estimator-migrate checkpoint {folder / 'old'} NEW_DIRECTORY --for {migrated}" in done.stderr
