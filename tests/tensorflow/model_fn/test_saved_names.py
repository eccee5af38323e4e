"""A migrated job's checkpoints hold what an Estimator's hold, under the same names, for whoever reads them."""

import os

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.model_checkpoints import ModelCheckpoints
from tests.cases import each

from .linear import Job, checkpoints, input_fn, loss_of, model_fn, trained


def shapes(path):
    return dict(tf.train.list_variables(str(path)))


def restored_by_saver(model_dir, model_fn):
    """The variables that a TensorFlow 1 graph of the model_fn has after ``Saver.restore``."""
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.train.create_global_step()
        model_fn({"x": tf.zeros([8, 2])}, tf.zeros([8, 1]), "train")
        tf1.train.Saver().restore(session, tf.train.latest_checkpoint(str(model_dir)))
        return session.run({variable.op.name: variable for variable in tf1.global_variables()})


def partitioned(parts):
    def model_fn(features, labels, mode):
        partitioner = tf1.fixed_size_partitioner(parts)
        w = tf1.get_variable("w", [2, 6], initializer=tf1.ones_initializer())
        v = tf1.get_variable("v", [6, 1], initializer=tf1.ones_initializer(), partitioner=partitioner)
        return trained(mode, tf1.losses.mean_squared_error(labels, features["x"] @ w @ tf.convert_to_tensor(v)))

    return model_fn


@pytest.mark.parametrize("fn", [model_fn, partitioned(3)], ids=["whole", "partitioned"])
def test_a_saver_of_the_same_graph_restores_every_variable(tmp_path, fn):
    job = Job(tmp_path, fn)
    job.run(6)
    found = restored_by_saver(tmp_path, fn)
    parts = [found.pop(name) for name in sorted(found) if "/part_" in name and "Momentum" not in name]
    for name in job.estimator.get_variable_names():
        if name in found:
            np.testing.assert_array_equal(found[name], job.value(name), name)
    if parts:
        np.testing.assert_array_equal(np.concatenate(parts), job.value("v"))


def test_other_parts_take_over_a_partitioned_variable(tmp_path):
    class Parts(tf1.train.SessionRunHook):
        def after_create_session(self, session, coord):
            self.found = session.run([v for v in tf1.trainable_variables() if v.op.name.startswith("v/")])

    first, parts = Job(tmp_path, partitioned(3)), Parts()
    first.run(4)
    trained_to = first.value("v")
    Job(tmp_path, partitioned(2)).run(5, hooks=[parts])
    assert len(parts.found) == 2
    np.testing.assert_array_equal(np.concatenate(parts.found), trained_to)


def test_a_partitioned_variable_of_another_shape_is_refused_by_its_full_name(tmp_path):
    Job(tmp_path, partitioned(3)).run(2)

    def wider(features, labels, mode):
        partitioner = tf1.fixed_size_partitioner(2)
        w = tf1.get_variable("w", [2, 4], initializer=tf1.ones_initializer())
        v = tf1.get_variable("v", [4, 1], initializer=tf1.ones_initializer(), partitioner=partitioner)
        return trained(mode, tf1.losses.mean_squared_error(labels, features["x"] @ w @ tf.convert_to_tensor(v)))

    with pytest.raises(ValueError, match=r"v \[6, 1\], not \[4, 1\]"):
        Job(tmp_path, wider).run(4)


def saving(var_list, **settings):
    """A model_fn whose Scaffold saves by a Saver of its own."""

    def with_saver(features, labels, mode):
        spec = trained(mode, loss_of(features, labels))
        saver = tf1.train.Saver(var_list(), save_relative_paths=True, **settings)
        return spec._replace(scaffold=tf1.train.Scaffold(saver=saver))

    return with_saver


@each("settings", "first", "then")(
    ({"max_to_keep": 2}, [8, 11], [15, 19]),
    ({}, [0, 4, 8, 11], [4, 8, 11, 15, 19]),  # a Saver keeps five
    ({"max_to_keep": None}, [0, 4, 8, 11], [0, 4, 8, 11, 15, 19]),
    ({"max_to_keep": 1, "keep_checkpoint_every_n_hours": 1e-9}, [0, 4, 8, 11], [0, 4, 8, 11, 15, 19]),
)
def test_a_model_fns_saver_says_how_many_are_kept(tmp_path, settings, first, then):
    """Measured of the Estimator under 2.15: its Saver counts, and RunConfig.keep_checkpoint_max does not."""
    for end, kept in ((11, first), (19, then)):
        Job(tmp_path, saving(lambda: None, **settings), keep=3).run(end)
        assert checkpoints(tmp_path) == [f"model.ckpt-{step}" for step in kept]


def test_an_iterators_state_lies_beside_the_variables(tmp_path):
    job = Job(tmp_path, continue_input=True)
    job.run(6)
    assert job.estimator.get_variable_names() == ["global_step", "w", "w/Momentum"]
    undisturbed = Job(tmp_path / "other", continue_input=True)
    undisturbed.run(10)
    again = Job(tmp_path, continue_input=True)
    assert again.restored == 6
    again.run(10)
    np.testing.assert_array_equal(again.value("w"), undisturbed.value("w"))


def test_a_saver_is_not_disturbed_by_an_iterators_state(tmp_path):
    job = Job(tmp_path, continue_input=True)
    job.run(6)
    np.testing.assert_array_equal(restored_by_saver(tmp_path, model_fn)["w"], job.value("w"))
    assert job.estimator.evaluate(lambda: input_fn(5))["global_step"] == 6


def test_a_checkpoint_without_an_iterators_state_starts_the_input_again(tmp_path):
    Job(tmp_path).run(6)
    Job(tmp_path / "other").run(6)
    first, second = Job(tmp_path, continue_input=True), Job(tmp_path / "other")
    assert (first.run(9), second.run(9)) == (9, 9)
    np.testing.assert_array_equal(first.value("w"), second.value("w"))


def test_the_tensors_of_an_input_fn_continue_at_the_batch_of_the_step(tmp_path):
    def tensors():
        x = tf.data.Dataset.range(800).map(lambda n: tf.cast([n, n + 1], tf.float32) / 800).batch(8)
        return tf1.data.make_one_shot_iterator(x.map(lambda x: ({"x": x}, x[:, :1]))).get_next()

    whole, job = (Job(tmp_path / name, continue_input=True, input_fn=tensors) for name in ("whole", "in parts"))
    again = Job(tmp_path / "in parts", continue_input=True, input_fn=tensors)
    other = Job(tmp_path / "restarted", input_fn=tensors)
    assert (whole.run(9), job.run(3), again.run(9)) == (9, 3, 9)
    np.testing.assert_array_equal(again.value("w"), whole.value("w"))
    assert (other.run(3), Job(tmp_path / "restarted", input_fn=tensors).run(9)) == (3, 9)
    assert not np.array_equal(other.value("w"), whole.value("w"))


def graphs(model_dir):
    return sorted(path.stem for path in model_dir.glob("*.meta"))


def test_beside_each_checkpoint_lies_its_graph_and_goes_with_it(tmp_path):
    Job(tmp_path).run(22)
    assert graphs(tmp_path) == checkpoints(tmp_path) == ["model.ckpt-16", "model.ckpt-20", "model.ckpt-22"]
    Job(tmp_path).run(26)
    assert graphs(tmp_path) == checkpoints(tmp_path) == ["model.ckpt-20", "model.ckpt-22", "model.ckpt-26"]


def test_a_graph_that_is_no_checkpoints_stays(tmp_path):
    for name in ("model.ckpt-best.meta", "other-3.meta"):
        (tmp_path / name).write_text("kept")
    (tmp_path / "model.ckpt-1.meta").write_text("left by a kill between two deletions")
    Job(tmp_path).run(2)
    assert graphs(tmp_path) == ["model.ckpt-0", "model.ckpt-2", "model.ckpt-best", "other-3"]


def test_a_graph_is_written_once_and_then_linked(tmp_path):
    Job(tmp_path).run(8)
    assert {path.stat().st_nlink for path in tmp_path.glob("*.meta")} == {3}


def test_the_graph_and_the_checkpoint_make_a_session_without_the_model_fn(tmp_path):
    job = Job(tmp_path)
    job.run(6)
    path = tf.train.latest_checkpoint(str(tmp_path))
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.train.import_meta_graph(path + ".meta").restore(session, path)
        (w,) = tf1.trainable_variables()
        found = session.run(w)
    np.testing.assert_array_equal(found, job.value("w"))


class Stopping(tf1.train.SessionRunHook):
    """Ends a training before its first step, with one save."""

    def after_create_session(self, session, coord):
        coord.request_stop()


@pytest.mark.parametrize("sync", [True, False])
def test_a_checkpoint_is_on_the_disk_before_a_list_names_it_unless_it_need_not(tmp_path, monkeypatch, sync):
    synced, real = [], os.fsync
    monkeypatch.setattr(ModelCheckpoints, "sync_saves", sync)

    def fsync(descriptor):
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        synced.append((os.path.relpath(path, tmp_path), tf.train.latest_checkpoint(str(tmp_path))))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    Job(tmp_path, every=100, hooks=[Stopping()]).run()
    monkeypatch.undo()
    files = [".", "model.ckpt-0.data-00000-of-00001", "model.ckpt-0.index", "model.ckpt-0.meta"]
    then = [(name, str(tmp_path / "model.ckpt-0")) for name in (".", "checkpoint")]
    assert sorted(synced, key=lambda one: (one[1] is not None, one[0])) == (  # those of one moment in any order
        [*((name, None) for name in files), *then] if sync else []
    )


def test_where_a_manager_does_not_write_a_saver_does_and_it_is_said(tmp_path, monkeypatch, caplog):
    """A manager that does not ask the checkpoint's ``_write`` any more."""
    tf.get_logger().propagate = True
    monkeypatch.setattr(tf.train.CheckpointManager, "save", lambda *arguments, **named: None)
    job = Job(tmp_path)
    job.run(8)
    assert "The manager wrote nothing" in caplog.text
    monkeypatch.undo()
    again = Job(tmp_path)
    assert again.restored == 8
    again.run(9)
    assert list(shapes(tmp_path)) == ["global_step", "w", "w/Momentum"]
