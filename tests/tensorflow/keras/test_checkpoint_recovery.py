"""Recovery by CheckpointManager keeps the Estimator's promises."""

import logging
import shutil
import time

import pytest
import tensorflow as tf

from migrate.recovery.keras.step_recovery import drop_empty_checkpoint_list
from tests.cases import each
from tests.tensorflow.keras.job import InterruptAt, build, recover, saved, start


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A job that ran 7 steps; saved at 4, 6 and 7."""
    model_dir = tmp_path_factory.mktemp("finished")
    start(model_dir, 7)
    return model_dir


@pytest.fixture
def copy(finished, tmp_path):
    """The finished job's directory, to be damaged."""
    return shutil.copytree(finished, tmp_path / "copy")


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)


def empty(path):
    path.write_bytes(b"")


def remove(path):
    path.unlink()


def test_a_job_saves_at_the_start_at_the_interval_and_at_the_end(tmp_path):
    start(tmp_path, 10, every=4, keep=None)
    assert saved(tmp_path) == [0, 4, 8, 10]


def test_a_job_that_was_killed_before_its_first_step_starts_again(tmp_path):
    class Killed(tf.keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            raise SystemExit

    with pytest.raises(SystemExit):
        start(tmp_path, 5, Killed())
    assert saved(tmp_path) == [0]
    assert start(tmp_path, 5)[1] == [1, 2, 3, 4, 5]


def test_the_interval_may_be_seconds(tmp_path):
    class Slow(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            time.sleep(1.1 if batch == 1 else 0)

    start(tmp_path, 5, Slow(), every=None, secs=1, keep=None)
    assert 3 in saved(tmp_path)
    assert len(saved(tmp_path)) < 6


def test_the_count_of_kept_checkpoints_goes_on_over_restarts(tmp_path):
    start(tmp_path, 5)
    assert saved(tmp_path) == [2, 4, 5]
    start(tmp_path, 7)
    assert saved(tmp_path) == [4, 5, 7]


def test_the_end_of_data_of_unknown_length_counts_no_step(tmp_path):
    recovery, _ = start(tmp_path, 5, is_counted=False)
    assert recovery.step == 5  # Keras alone counts 6
    assert start(tmp_path, 7, is_counted=False)[1] == [6, 7]
    assert saved(tmp_path) == [4, 5, 7]


@pytest.mark.parametrize("error", [RuntimeError("lost"), KeyboardInterrupt(), SystemExit(1)], ids=repr)
def test_an_exception_ends_without_a_save_and_the_job_resumes_at_the_last_one(tmp_path, error):
    with pytest.raises(type(error)):
        start(tmp_path, 10, InterruptAt(7, error), every=3)
    assert saved(tmp_path) == [0, 3, 6]
    recovery, steps = start(tmp_path, 10, every=3)
    assert steps == [7, 8, 9, 10]
    assert recovery.step == 10


def test_an_exception_at_a_step_that_is_saved_loses_no_step(tmp_path):
    with pytest.raises(RuntimeError):
        start(tmp_path, 10, InterruptAt(6, RuntimeError("lost")), every=3)
    assert start(tmp_path, 8, every=3)[1] == [7, 8]


def test_a_clean_stop_saves_and_the_interval_counts_from_there(tmp_path):
    start(tmp_path, 10, InterruptAt(5), every=4, keep=None)
    assert saved(tmp_path) == [0, 4, 5]
    start(tmp_path, 10, every=4, keep=None)
    assert saved(tmp_path) == [0, 4, 5, 9, 10]


def test_a_rerun_of_a_finished_job_does_nothing(copy):
    before = {path.name: path.stat().st_mtime_ns for path in copy.iterdir()}
    recovery, steps = start(copy, 7)
    assert steps == []
    assert recovery.step == 7
    assert {path.name: path.stat().st_mtime_ns for path in copy.iterdir()} == before


@pytest.mark.parametrize("damage", [cut, flip, empty, remove])
@pytest.mark.parametrize("file", ["ckpt-7.index", "ckpt-7.data-00000-of-00001"])
def test_a_torn_newest_checkpoint_falls_back_to_the_one_before_and_says_so(copy, file, damage, caplog):
    damage(copy / file)
    recovery = recover(build(), copy)
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        assert recovery.restore() == 6
    assert "Cannot read" in caplog.text
    assert "ckpt-7" in caplog.text


def test_a_job_goes_on_from_the_one_before_and_writes_over_the_torn_one(copy):
    cut(copy / "ckpt-7.data-00000-of-00001")
    assert start(copy, 7)[1] == [7]
    assert start(copy, 7)[1] == []


def test_when_all_are_torn_the_job_stops_and_never_starts_from_scratch(copy):
    for path in copy.glob("*.data-00000-of-00001"):
        cut(path)
    with pytest.raises(RuntimeError, match=r"No checkpoint in .* is whole"):
        recover(build(), copy).restore()


def test_a_lost_list_of_checkpoints_is_no_start_from_scratch(copy):
    (copy / "checkpoint").unlink()
    assert recover(build(), copy).restore() == 7


def test_a_torn_list_of_checkpoints_is_no_start_from_scratch(copy):
    (copy / "checkpoint").write_text('model_checkpoint_path: "ckpt-7"\nall_model_checkpoint_paths: "ck')
    assert recover(build(), copy).restore() == 7


@pytest.mark.parametrize("content", [b"", bytes(range(128, 256))], ids=["empty", "no text"])
def test_a_list_that_names_no_checkpoint_stops_the_job_until_it_is_dropped(copy, content):
    (copy / "checkpoint").write_bytes(content)
    with pytest.raises(ValueError, match=r"Invalid checkpoint state|utf-8"):  # by tf.train.CheckpointManager itself
        recover(build(), copy)
    drop_empty_checkpoint_list(str(copy))
    assert recover(build(), copy).restore() == 7


@each("other", "named", ids=["wider", "deeper", "shallower", "other optimizer"])(
    ({"units": (9,)}, "shape|dense"),
    ({"units": (8, 8)}, "shape|dense"),
    ({"units": ()}, "shape|dense"),
    ({"optimizer": "sgd"}, "dense|momentum|optimizer"),
)
def test_a_checkpoint_that_does_not_fit_is_refused_by_variable_name(copy, other, named):
    with pytest.raises(ValueError, match=rf"ckpt-7 does not fit this model: (.|\n)*({named})"):
        recover(build(**other), copy).restore()


def test_an_estimators_own_checkpoint_is_refused(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.train.create_global_step()
        tf.compat.v1.get_variable("dnn/hiddenlayer_0/kernel", [4, 8])
        session.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.train.Saver().save(session, str(tmp_path / "model.ckpt"), global_step=10)
    with pytest.raises(ValueError, match=r"model.ckpt-10 was written by tf.estimator"):
        recover(build(), tmp_path).restore()
    (tmp_path / "checkpoint").unlink()
    with pytest.raises(ValueError, match=r"model.ckpt-10 was written by tf.estimator"):
        recover(build(), tmp_path).restore()


def test_a_new_directory_starts_at_step_0(tmp_path):
    assert recover(build(), tmp_path / "new").restore() == 0
