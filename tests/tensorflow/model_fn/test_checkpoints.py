"""Which checkpoint a migrated program continues, which it refuses, which it deletes."""

import os
import shutil

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.checkpoint_list import latest_checkpoint, repair_checkpoint_list

from .linear import Job, checkpoints, loss_of, trained


@pytest.fixture
def old_job(tmp_path):
    """A directory as an Estimator leaves it: model.ckpt-0, -5 and -10, all three on the list."""
    with tf.Graph().as_default(), tf1.Session() as session:
        step = tf1.train.create_global_step()
        trained("train", loss_of({"x": tf.zeros([8, 2])}, tf.zeros([8, 1])))
        saver = tf1.train.Saver(save_relative_paths=True)
        session.run(tf1.global_variables_initializer())
        for at in (0, 5, 10):
            session.run(step.assign(at))
            saver.save(session, str(tmp_path / "model.ckpt"), global_step=at)
    return tmp_path


def tear(directory, name, how="cut"):
    path = directory / f"{name}.data-00000-of-00001"
    if how == "cut":
        path.write_bytes(path.read_bytes()[:-7])
    elif how == "zeroed":
        path.write_bytes(bytes(path.stat().st_size))
    elif how == "gone":
        path.unlink()
    else:
        (directory / f"{name}.index").write_bytes(b"")


def test_an_estimators_checkpoint_is_continued(old_job):
    job = Job(old_job)
    assert job.restored == 10
    assert job.run(14) == 14
    assert tf.train.latest_checkpoint(str(old_job)) == str(old_job / "model.ckpt-14")
    assert Job(old_job).restored == 14


def test_an_estimators_checkpoints_are_deleted_when_their_turn_comes(old_job):
    Job(old_job).run(18)
    assert checkpoints(old_job) == ["model.ckpt-10", "model.ckpt-14", "model.ckpt-18"]


def test_what_an_estimator_has_not_on_its_list_is_never_deleted(old_job):
    for ending in ("index", "data-00000-of-00001"):
        shutil.copy(old_job / f"model.ckpt-5.{ending}", old_job / f"model.ckpt-7.{ending}")
    Job(old_job, keep=1).run(18)
    assert checkpoints(old_job) == ["model.ckpt-7", "model.ckpt-18"]


def test_a_checkpoint_every_n_hours_stays_also_of_the_estimators(old_job):
    """They were saved two hours apart; the first, and then each that is three hours younger, is kept for good."""
    for hours, step in enumerate((10, 5, 0)):
        for path in old_job.glob(f"model.ckpt-{step}.*"):
            at = path.stat().st_mtime - 7200 * hours
            os.utime(path, (at, at))
    Job(old_job, keep=1, hours=3).run(18)
    assert checkpoints(old_job) == ["model.ckpt-10", "model.ckpt-18"]
    repair_checkpoint_list(str(old_job))
    assert tf.train.latest_checkpoint(str(old_job)) == str(old_job / "model.ckpt-18")


class FirstValue(tf1.train.SessionRunHook):
    """Keeps the value that a variable has where a training begins."""

    def __init__(self, name):
        self._name, self.value = name, None

    def begin(self):
        (self._variable,) = (v for v in tf1.global_variables() if v.op.name == self._name)

    def after_create_session(self, session, coord):
        self.value = session.run(self._variable)


@pytest.fixture
def object_based(tmp_path):
    """A directory as an earlier version of the tool left it: ckpt-8 and ckpt-11, which hold objects."""
    variables = {
        "global_step": tf.Variable(0, dtype=tf.int64, name="global_step"),
        "w": tf.Variable(tf.zeros([2, 1]), name="w"),
        "w/Momentum": tf.Variable(tf.zeros([2, 1]), name="w/Momentum"),
    }
    checkpoint = tf.train.Checkpoint(variables=variables)
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "old"), max_to_keep=3)
    for step in (8, 11):
        variables["global_step"].assign(step)
        variables["w"].assign([[step], [-step]])
        manager.save(checkpoint_number=step)
    return tmp_path / "old"


def test_what_an_earlier_version_saved_as_objects_is_continued_by_name(object_based):
    first = FirstValue("w")
    job = Job(object_based, hooks=[first])
    assert job.restored == 11
    job.run(16)
    assert first.value.tolist() == [[11.0], [-11.0]]
    assert checkpoints(object_based) == ["model.ckpt-11", "model.ckpt-15", "model.ckpt-16"]
    names = [name for name, _ in tf.train.list_variables(str(object_based))]
    assert names == ["global_step", "w", "w/Momentum"]


def test_the_newest_of_either_kind_is_continued(object_based, old_job):
    for path in object_based.glob("ckpt-*"):
        shutil.copy(path, old_job)
    (old_job / "checkpoint").unlink()
    assert Job(old_job).restored == 11


def test_a_restored_checkpoint_is_not_written_again(old_job):
    before = {path: path.stat().st_mtime_ns for path in old_job.glob("model.ckpt-10.*")}
    Job(old_job).run(11)
    assert {path: path.stat().st_mtime_ns for path in old_job.glob("model.ckpt-10.*")} == before


def test_until_the_first_save_the_list_names_the_estimators_latest_checkpoint(old_job):
    repair_checkpoint_list(str(old_job))
    assert tf.train.latest_checkpoint(str(old_job)) == str(old_job / "model.ckpt-10")


def test_a_directory_that_was_moved_is_continued(tmp_path):
    Job(tmp_path / "here").run(14)
    shutil.move(tmp_path / "here", tmp_path / "there")
    assert Job(tmp_path / "there").restored == 14


@pytest.mark.parametrize("how", ["cut", "zeroed", "gone", "index"])
def test_a_torn_newest_checkpoint_is_passed_over_and_said(tmp_path, how, caplog):
    Job(tmp_path).run(11)
    tear(tmp_path, "model.ckpt-11", how)
    tf.get_logger().propagate = True
    job = Job(tmp_path)
    assert job.restored == 8
    assert "Cannot read checkpoint model.ckpt-11" in caplog.text
    job.run(16)
    assert checkpoints(tmp_path)[-3:] == ["model.ckpt-11", "model.ckpt-12", "model.ckpt-16"]
    assert Job(tmp_path).restored == 16


def test_several_torn_checkpoints_are_passed_over(tmp_path):
    Job(tmp_path).run(11)
    tear(tmp_path, "model.ckpt-11")
    tear(tmp_path, "model.ckpt-8", "gone")
    assert Job(tmp_path).restored == 4


def test_a_torn_checkpoint_of_the_estimator_is_passed_over(old_job):
    tear(old_job, "model.ckpt-10")
    assert Job(old_job).restored == 5


def test_when_all_new_checkpoints_are_torn_the_estimators_is_continued(old_job):
    Job(old_job, keep=2).run(11)
    tear(old_job, "model.ckpt-11")
    assert Job(old_job).restored == 10


def test_nothing_is_trained_over_checkpoints_of_which_none_can_be_read(tmp_path):
    Job(tmp_path).run(4)
    for name in checkpoints(tmp_path):
        tear(tmp_path, name)
    with pytest.raises(ValueError, match="None of the checkpoints"):
        Job(tmp_path)
    assert latest_checkpoint(str(tmp_path)) is None


@pytest.mark.parametrize("content", [None, "", "nonsense {"])
def test_a_lost_list_is_made_again(tmp_path, content):
    Job(tmp_path).run(11)
    (tmp_path / "checkpoint").unlink()
    if content is not None:
        (tmp_path / "checkpoint").write_text(content)
    job = Job(tmp_path)
    assert job.restored == 11
    job.run(16)
    assert checkpoints(tmp_path) == ["model.ckpt-11", "model.ckpt-15", "model.ckpt-16"]


def test_a_list_of_files_that_are_gone_is_an_error_and_not_a_start_from_scratch(tmp_path):
    Job(tmp_path).run(4)
    for path in tmp_path.glob("model.ckpt-*"):
        path.unlink()
    with pytest.raises(ValueError, match="None of the checkpoints"):
        Job(tmp_path)
    assert latest_checkpoint(str(tmp_path)) is None


def test_a_checkpoint_that_someone_deleted_leaves_the_list(tmp_path):
    Job(tmp_path).run(11)
    for path in tmp_path.glob("model.ckpt-8*"):
        path.unlink()
    expected = [str(tmp_path / f"model.ckpt-{step}") for step in (4, 11)]
    assert Job(tmp_path).estimator.checkpoints.checkpoints == expected


def test_checkpoints_of_another_name_are_neither_found_nor_deleted(tmp_path):
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "best.ckpt-99"))
    Job(tmp_path, keep=1).run(11)
    (tmp_path / "checkpoint").unlink()
    assert Job(tmp_path, keep=1).restored == 11
    assert (tmp_path / "best.ckpt-99.index").exists()


def test_a_list_that_is_in_order_is_left_as_it_is(tmp_path):
    Job(tmp_path).run(11)
    before = (tmp_path / "checkpoint").read_text()
    repair_checkpoint_list(str(tmp_path))
    assert (tmp_path / "checkpoint").read_text() == before


def test_a_list_that_points_to_an_older_checkpoint_is_obeyed(tmp_path):
    Job(tmp_path).run(11)
    path = tmp_path / "checkpoint"
    path.write_text(
        path.read_text().replace('model_checkpoint_path: "model.ckpt-11"', 'model_checkpoint_path: "model.ckpt-4"', 1)
    )
    assert Job(tmp_path).restored == 4


def test_a_checkpoint_without_the_slots_is_refused_by_name(tmp_path, old_job):
    def with_adam(features, labels, mode):
        return trained(mode, loss_of(features, labels), tf1.train.AdamOptimizer())

    for directory in (tmp_path / "new", old_job):
        if directory != old_job:
            Job(directory).run(4)
        with pytest.raises(ValueError, match=r"Missing in it: .*beta1_power.*w/Adam, w/Adam_1.*Of another shape: none"):
            Job(directory, with_adam).run(20)


def test_a_checkpoint_of_another_shape_is_refused_by_name(tmp_path, old_job):
    def wider(features, labels, mode):
        w = tf1.get_variable("w", [2, 3], initializer=tf1.zeros_initializer())
        return trained(mode, tf.reduce_mean(features["x"] @ w))

    for directory in (tmp_path / "new", old_job):
        if directory != old_job:
            Job(directory).run(4)
        with pytest.raises(ValueError, match=r"Missing in it: none. Of another shape: w \[2, 1\], not \[2, 3\]"):
            Job(directory, wider).run(20)


# A list that names files elsewhere


def lead_to(origin, copy):
    """Has a copy's list name the original's files, as a Saver writes it that is given no save_relative_paths."""
    path = copy / "checkpoint"
    path.write_text(path.read_text().replace('"model', f'"{origin}/model'))


def test_a_copied_job_restores_from_the_copy_and_leaves_the_original_alone(tmp_path, caplog):
    origin, copy = tmp_path / "origin", tmp_path / "copy"
    Job(origin).run(10)
    shutil.copytree(origin, copy)
    before, there = checkpoints(origin), (origin / "checkpoint").read_bytes()
    lead_to(origin, copy)
    for path in origin.glob("*.data*"):
        path.write_bytes(bytes(path.stat().st_size))  # whoever reads there gets other numbers
    job = Job(copy)
    assert job.restored == 10
    job.run(30)
    assert checkpoints(origin) == before
    assert (origin / "checkpoint").read_bytes() == there
    assert "30" in checkpoints(copy)[-1]
    assert str(origin) not in (copy / "checkpoint").read_text()
    assert len(checkpoints(copy)) == len(before)


def test_a_list_that_led_elsewhere_is_written_anew_and_said(old_job, tmp_path_factory, monkeypatch):
    copy = tmp_path_factory.mktemp("copy") / "job"
    shutil.copytree(old_job, copy)
    lead_to(old_job, copy)
    told = []
    monkeypatch.setattr(tf1.logging, "warning", lambda text, *values: told.append(text % values))
    repair_checkpoint_list(str(copy))
    assert [text for text in told if str(old_job) in text and "from now on it names" in text]
    state = tf.train.get_checkpoint_state(str(copy))
    assert state.model_checkpoint_path == str(copy / "model.ckpt-10")
    assert [*state.all_model_checkpoint_paths] == [str(copy / f"model.ckpt-{step}") for step in (0, 5, 10)]


def test_only_what_is_in_the_copy_is_named_by_its_list(old_job, tmp_path_factory):
    copy = tmp_path_factory.mktemp("copy") / "job"
    shutil.copytree(old_job, copy)
    lead_to(old_job, copy)
    for path in copy.glob("model.ckpt-10.*"):
        path.unlink()
    assert Job(copy).restored == 5
    assert len(checkpoints(old_job)) == 3


def test_a_list_that_leads_elsewhere_and_nothing_here_is_refused_with_the_reason(old_job, tmp_path_factory):
    copy = tmp_path_factory.mktemp("copy")
    shutil.copy(old_job / "checkpoint", copy / "checkpoint")
    lead_to(old_job, copy)
    with pytest.raises(ValueError, match="none of them is here"):
        Job(copy)
    assert len(checkpoints(old_job)) == 3


def test_a_list_that_names_the_same_directory_by_another_path_stays(old_job, tmp_path_factory):
    link = tmp_path_factory.mktemp("link") / "job"
    link.symlink_to(old_job)
    Job(old_job).run(14)
    lead_to(old_job, link)
    before = (link / "checkpoint").read_bytes()
    assert Job(link).restored == 14
    assert (link / "checkpoint").read_bytes() == before


def test_a_savers_own_names_are_brought_home_too(tmp_path):
    origin, copy = tmp_path / "origin", tmp_path / "copy"
    origin.mkdir()
    with tf.Graph().as_default(), tf1.Session() as session:
        step = tf1.train.create_global_step()
        saver = tf1.train.Saver()  # by absolute paths
        session.run(tf1.global_variables_initializer())
        for at in (5, 10):
            session.run(step.assign(at))
            saver.save(session, str(origin / "net"), global_step=at)
    shutil.copytree(origin, copy)
    repair_checkpoint_list(str(copy))
    assert tf.train.latest_checkpoint(str(copy)) == str(copy / "net-10")
    assert tf.train.latest_checkpoint(str(origin)) == str(origin / "net-10")


def test_a_list_that_names_missing_files_gives_way_to_those_on_disk(old_job):
    (old_job / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-99"\n')
    assert Job(old_job).restored == 10


# Names of directories


@pytest.mark.parametrize("name", ["a[1]b", "a\\b"])
def test_a_name_that_tensorflow_takes_for_a_pattern_is_rejected_with_the_reason(tmp_path, name):
    with pytest.raises(ValueError, match="for a pattern"):
        Job(tmp_path / name)
    with pytest.raises(ValueError, match="for a pattern"):
        latest_checkpoint(str(tmp_path / name))


@pytest.mark.parametrize("name", ["a[b", "a]b", "a*b", "a?b", "a{b}"])
def test_any_other_name_is_as_good_as_under_an_estimator(tmp_path, name):
    Job(tmp_path / "a_b").run(9)
    job = Job(tmp_path / name)
    assert job.restored == 0
    job.run(6)
    assert Job(tmp_path / name).restored == 6


def test_a_directory_in_memory_is_as_good_as_under_an_estimator():
    Job("ram://job").run(6)
    assert latest_checkpoint("ram://job") == "ram://job/model.ckpt-6"
    job = Job("ram://job")
    assert job.restored == 6
    job.run(9)
    assert latest_checkpoint("ram://job") == "ram://job/model.ckpt-9"
