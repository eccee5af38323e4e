"""A migrated job's checkpoints hold what an Estimator's hold, under the same names, for whoever reads them."""

import os

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .linear import Job, checkpoints, loss_of, model_fn, trained


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
    assert found.keys() == job.train.variables.keys()
    for name, value in found.items():
        np.testing.assert_array_equal(value, job.train.variables[name].numpy(), name)


def test_a_partitioned_variable_has_its_full_name_and_shape(tmp_path):
    Job(tmp_path, partitioned(3)).run(2)
    assert shapes(tmp_path) == {"global_step": [], "v": [6, 1], "v/Momentum": [6, 1], "w": [2, 6], "w/Momentum": [2, 6]}


def test_other_parts_take_over_a_partitioned_variable(tmp_path):
    first = Job(tmp_path, partitioned(3))
    first.run(4)
    second = Job(tmp_path, partitioned(2))
    values = [
        np.concatenate([job.train.variables[f"v/part_{i}"] for i in range(n)]) for job, n in ((first, 3), (second, 2))
    ]
    np.testing.assert_array_equal(*values)


def test_a_partitioned_variable_of_another_shape_is_refused_by_its_full_name(tmp_path):
    Job(tmp_path, partitioned(3)).run(2)

    def wider(features, labels, mode):
        partitioner = tf1.fixed_size_partitioner(2)
        w = tf1.get_variable("w", [2, 4], initializer=tf1.ones_initializer())
        v = tf1.get_variable("v", [4, 1], initializer=tf1.ones_initializer(), partitioner=partitioner)
        return trained(mode, tf1.losses.mean_squared_error(labels, features["x"] @ w @ tf.convert_to_tensor(v)))

    with pytest.raises(ValueError, match=r"v \[6, 1\], not \[4, 1\]"):
        Job(tmp_path, wider)


def test_init_from_checkpoint_takes_over_what_a_migrated_job_trained(tmp_path):
    first = Job(tmp_path / "first")
    first.run(6)

    def warm(features, labels, mode):
        spec = model_fn(features, labels, mode)
        tf1.train.init_from_checkpoint(str(tmp_path / "first"), {"w": "w"})
        return spec

    np.testing.assert_array_equal(Job(tmp_path / "second", warm).train.variables["w"], first.train.variables["w"])


def saving(var_list, **settings):
    """A model_fn whose Scaffold saves by a Saver of its own."""

    def with_saver(features, labels, mode):
        spec = trained(mode, loss_of(features, labels))
        saver = tf1.train.Saver(var_list(), save_relative_paths=True, **settings)
        return spec._replace(scaffold=tf1.train.Scaffold(saver=saver))

    return with_saver


def other_names():
    return {f"old/{variable.op.name}": variable for variable in tf1.global_variables()}


@pytest.mark.parametrize("sharded", [False, True])
def test_a_model_fns_saver_says_under_which_names_a_variable_is_saved(tmp_path, sharded):
    job = Job(tmp_path, saving(other_names, sharded=sharded))
    job.run(4)
    assert list(shapes(tmp_path)) == ["old/global_step", "old/w", "old/w/Momentum"]
    again = Job(tmp_path, saving(other_names, sharded=sharded))
    assert again.restored == 4
    np.testing.assert_array_equal(again.train.variables["w"], job.train.variables["w"])


def test_what_a_model_fns_saver_leaves_out_is_saved_too_and_said(tmp_path, caplog):
    tf.get_logger().propagate = True
    Job(tmp_path, saving(lambda: [tf1.train.get_global_step()])).run(4)
    assert list(shapes(tmp_path)) == ["global_step", "w", "w/Momentum"]
    assert "Saved beside what the model_fn's Saver saves: ['w', 'w/Momentum']" in caplog.text


@pytest.mark.parametrize(
    ("settings", "first", "then"),
    [
        ({"max_to_keep": 2}, [8, 11], [15, 19]),
        ({}, [0, 4, 8, 11], [4, 8, 11, 15, 19]),  # a Saver keeps five
        ({"max_to_keep": None}, [0, 4, 8, 11], [0, 4, 8, 11, 15, 19]),
        ({"max_to_keep": 1, "keep_checkpoint_every_n_hours": 1e-9}, [0, 4, 8, 11], [0, 4, 8, 11, 15, 19]),
    ],
)
def test_a_model_fns_saver_says_how_many_are_kept(tmp_path, settings, first, then):
    """Measured of the Estimator under 2.15: its Saver counts, and RunConfig.keep_checkpoint_max does not."""
    for end, kept in ((11, first), (19, then)):
        Job(tmp_path, saving(lambda: None, **settings), keep=3).run(end)
        assert checkpoints(tmp_path) == [f"model.ckpt-{step}" for step in kept]


def test_an_iterators_state_lies_beside_the_variables(tmp_path):
    job = Job(tmp_path, continue_input=True)
    job.run(6)
    assert [name for name in shapes(tmp_path) if not name.startswith("batches/")] == ["global_step", "w", "w/Momentum"]
    undisturbed = Job(tmp_path / "other", continue_input=True)
    undisturbed.run(10)
    again = Job(tmp_path, continue_input=True)
    assert again.restored == 6
    again.run(10)
    np.testing.assert_array_equal(again.train.variables["w"], undisturbed.train.variables["w"])


def test_a_saver_is_not_disturbed_by_an_iterators_state(tmp_path):
    job = Job(tmp_path, continue_input=True)
    job.run(6)
    np.testing.assert_array_equal(restored_by_saver(tmp_path, model_fn)["w"], job.train.variables["w"].numpy())


def test_a_checkpoint_without_an_iterators_state_starts_the_input_again(tmp_path):
    Job(tmp_path).run(6)
    assert Job(tmp_path, continue_input=True).restored == 6


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
    np.testing.assert_array_equal(found, job.train.variables["w"].numpy())


def test_a_checkpoint_that_was_not_written_whole_is_put_on_no_list_and_deletes_none(tmp_path, monkeypatch):
    job = Job(tmp_path, keep=1)
    job.run(4)
    real = tf.train.load_checkpoint

    def torn(prefix):
        if prefix.endswith("-8"):
            os.truncate(prefix + ".data-00000-of-00001", 8)
        return real(prefix)

    monkeypatch.setattr(tf.train, "load_checkpoint", torn)
    with pytest.raises(tf.errors.DataLossError, match=r"model.ckpt-8 has 8 bytes of 24"):
        job.run(8)
    monkeypatch.undo()
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-4")
    assert Job(tmp_path).restored == 4


@pytest.mark.parametrize("sync", [True, False])
def test_a_checkpoint_is_on_the_disk_before_a_list_names_it_unless_it_need_not(tmp_path, monkeypatch, sync):
    job, synced, real = Job(tmp_path, sync_saves=sync), [], os.fsync

    def fsync(descriptor):
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        synced.append((os.path.relpath(path, tmp_path), tf.train.latest_checkpoint(str(tmp_path))))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    job.manager.save(checkpoint_number=0)
    files = [".", "model.ckpt-0.data-00000-of-00001", "model.ckpt-0.index", "model.ckpt-0.meta"]
    then = [(name, str(tmp_path / "model.ckpt-0")) for name in (".", "checkpoint")]
    assert sorted(synced, key=lambda one: (one[1] is not None, one[0])) == (  # those of one moment in any order
        [*((name, None) for name in files), *then] if sync else []
    )


def test_where_a_manager_saves_by_another_way_the_job_goes_on_and_it_is_said(tmp_path, monkeypatch, caplog):
    """A manager that does not ask the checkpoint's ``_write`` any more; TensorFlow's own way then writes objects."""
    tf.get_logger().propagate = True

    def save(manager, checkpoint_number, check_interval=True):
        checkpoint = manager.checkpoint
        checkpoint.save_counter.assign_add(1)
        return tf.train.Checkpoint._write(checkpoint, f"{tmp_path}/model.ckpt-{int(checkpoint_number)}", None)

    monkeypatch.setattr(tf.train.CheckpointManager, "save", save)
    job = Job(tmp_path)
    job.run(8)
    assert "cannot read these checkpoints. This program can." in caplog.text
    assert "_CHECKPOINTABLE_OBJECT_GRAPH" in shapes(tmp_path / "model.ckpt-8")
    monkeypatch.undo()
    again = Job(tmp_path)
    assert again.restored == 8
    np.testing.assert_array_equal(again.train.variables["w"], job.train.variables["w"])
    again.run(9)
    assert list(shapes(tmp_path)) == ["global_step", "w", "w/Momentum"]
