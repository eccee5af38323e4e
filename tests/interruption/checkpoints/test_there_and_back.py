"""A job moves to its migrated program and back again, and each goes on where the other stood."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from migrate.run import run as codemod
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run
from tests.pairs import LEGACY, ROOT

# The largest difference, of a variable's largest value: Keras's optimizers round otherwise than the Estimator's; a
# model_fn is the very same.
PROGRAMS = {
    LEGACY / "keras_to_estimator.py": 1e-5,
    LEGACY / "warm_start.py": 1e-5,
    LEGACY / "wide_and_deep.py": 1e-5,
    LEGACY / "alternating_model_fn.py": 0.0,
}


def start(interpreter, *command):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    return nursery.run([os.environ[interpreter], *map(str, command)], environment)


def run(interpreter, *command):
    done = start(interpreter, *command)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module", params=list(PROGRAMS), ids=lambda path: path.stem)
def moved(request, tmp_path_factory):
    """The folder of a job: the Estimator to 10, the migrated program to 20, the Estimator to 30; and it alone."""
    folder = tmp_path_factory.mktemp("moved")
    legacy = shutil.copy(request.param, folder)
    migrated = folder / "migrated" / request.param.name
    migrated.parent.mkdir()
    for change in codemod([str(legacy)], Settings(), jobs=1, progress=None).changes:
        (migrated.parent / Path(change.path).name).write_text(change.after)
    alone = kept_run(f"there_and_back-{request.param.stem}", [legacy, __file__], lambda place: run_alone(legacy, place))
    copy_job(alone / "at_10", folder / "old")
    convert = ("-m", "migrate", "checkpoint", "--for", migrated)
    run("MIGRATE_NEW_PYTHON", *convert, folder / "old", folder / "new")
    run("MIGRATE_NEW_PYTHON", migrated, "--model_dir", folder / "new", "--max_steps", 20)
    back = ("--to-estimator", "--like", folder / "old")
    run("MIGRATE_NEW_PYTHON", *convert, folder / "new", folder / "back", *back)
    run("MIGRATE_OLD_PYTHON", legacy, "--model_dir", folder / "back", "--max_steps", 30, *warm(legacy, alone))
    return folder, migrated, alone / "at_30", PROGRAMS[request.param]


def copy_job(source, target):
    """Copy a model_dir: a file ``checkpoint`` with whole paths would have the copy delete what stands in the source."""
    shutil.copytree(source, target)
    listed = target / "checkpoint"
    listed.write_text(listed.read_text().replace(f"{source}/", ""))


def run_alone(legacy, place):
    """The Estimator's directories as they are at three steps."""
    for donor in warm(legacy, place)[1:]:
        run("MIGRATE_OLD_PYTHON", legacy, "--model_dir", donor, "--max_steps", 4)
    before = None
    for steps in (10, 20, 30):
        directory = place / f"at_{steps}"
        if before:
            copy_job(before, directory)
        run("MIGRATE_OLD_PYTHON", legacy, "--model_dir", directory, "--max_steps", steps, *warm(legacy, place))
        before = directory


def warm(legacy, place):
    """The arguments that name the job with whose weights another begins."""
    return ("--warm_start_from", place / "donor") if Path(legacy).stem == "warm_start" else ()


def test_after_all_it_has_what_the_estimator_alone_comes_to(moved):
    folder, _, alone, tolerance = moved
    back, alone = (tf.train.load_checkpoint(str(path / "model.ckpt-30")) for path in (folder / "back", alone))
    assert back.get_variable_to_shape_map() == alone.get_variable_to_shape_map()
    for name in alone.get_variable_to_shape_map():
        found, expected = back.get_tensor(name), alone.get_tensor(name)
        if isinstance(expected, bytes):  # how objects hang together, for a Keras model's Estimator
            assert found == expected
            continue
        scale = np.max(np.abs(expected), initial=0)
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale, err_msg=name)


def test_the_migrated_program_in_the_old_directory_goes_on_or_tells_the_command(moved):
    folder, migrated, _, tolerance = moved
    done = start("MIGRATE_NEW_PYTHON", migrated, "--model_dir", folder / "old", "--max_steps", 20)
    if tolerance:
        assert done.returncode != 0
        assert f"python -m migrate checkpoint {folder / 'old'} NEW_DIRECTORY --for {migrated}" in done.stderr
    else:
        assert done.returncode == 0, done.stderr[-3000:]
        assert (folder / "old" / "ckpt-20.index").exists()
