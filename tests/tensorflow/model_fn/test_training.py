"""What a training promises of the model_fn's graph."""

import functools
import json
import signal
import subprocess
import sys

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator
from migrate.recovery.estimator.run_config import RunConfig, WarmStartSettings

from .linear import Job, Noting, X, Y, event_values, input_fn, loss_of, model_fn, trained


def trained_to(tmp_path, model_fn, steps=1, **options):
    """Returns a job that has taken so many steps, with the losses of these."""
    hook, job = Noting(), Job(tmp_path, model_fn, keep=None, **options)
    job.run(steps, hooks=[hook])
    job.losses = hook.losses
    return job


def begun_with(job, name):
    """The value of a variable at step 0."""
    return tf.train.load_variable(f"{job.estimator.model_dir}/model.ckpt-0", name)


def test_a_partial_function_is_a_model_fn(tmp_path):
    def bound(features, labels, mode, params):
        seen.append(params)
        return model_fn(features, labels, mode)

    seen = []
    Job(tmp_path, functools.partial(bound, params="bound")).run(1)
    assert seen == ["bound"]


def test_a_training_without_an_interval_says_that_it_saves_nothing(tmp_path, caplog):
    tf.get_logger().propagate = True
    config = RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None)
    Estimator(model_fn, str(tmp_path), config).train(input_fn, max_steps=1)
    assert "No checkpoints: no interval between saves is set." in caplog.text


def test_a_config_with_what_is_no_strategy_is_refused():
    with pytest.raises(ValueError, match="strategy"):
        RunConfig(save_checkpoints_steps=5, train_distribute=object())


def test_a_model_fn_that_changes_its_params_leaves_the_callers_alone(tmp_path):
    def changing(features, labels, mode, params):
        params["list"].append(1)
        return model_fn(features, labels, mode)

    params = {"list": []}
    Job(tmp_path, changing, params=params).run(1)
    assert params == {"list": []}


def test_features_alone_and_sparse_features_are_fed(tmp_path):
    def unlabelled(features, mode):
        return trained(mode, loss_of({"x": tf.sparse.to_dense(features["x"])}, features["y"]))

    def sparse():
        dense = tf.data.Dataset.from_tensor_slices({"x": X, "y": Y}).batch(8).repeat()
        return dense.map(lambda batch: {"x": tf.sparse.from_dense(batch["x"]), "y": batch["y"]})

    found = trained_to(tmp_path / "sparse", unlabelled, 5, input_fn=sparse)
    assert found.losses == trained_to(tmp_path / "dense", model_fn, 5).losses


def test_warm_start_settings_say_which_variables_and_what_they_were_called(tmp_path):
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.get_variable("v", [2, 1], initializer=tf1.ones_initializer())
        tf1.get_variable("b", [], initializer=tf1.ones_initializer())
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver().save(session, str(tmp_path / "model.ckpt"))

    def with_bias(features, labels, mode):
        bias = tf1.get_variable("b", [], initializer=tf1.zeros_initializer())
        return trained(mode, loss_of(features, labels) + bias)

    renamed = WarmStartSettings(str(tmp_path), "w", var_name_to_prev_var_name={"w": "v"})
    job = trained_to(tmp_path / "a", with_bias, warm_start_from=renamed)
    assert begun_with(job, "w").tolist() == [[1.0], [1.0]]
    assert begun_with(job, "b") == 0.0
    job = trained_to(tmp_path / "b", with_bias, warm_start_from=renamed._replace(vars_to_warm_start="w|b"))
    assert begun_with(job, "b") == 1.0


def test_a_metric_in_a_summary_is_updated_when_the_summary_is_written_and_not_between(tmp_path):
    def counting(features, labels, mode):
        tf1.summary.scalar("counted", tf1.metrics.mean(tf.ones([]) * 3.0)[1])
        return model_fn(features, labels, mode)

    Job(tmp_path, counting, save_summary_steps=2).run(5)
    assert list(event_values(tmp_path, "counted").values()) == [3.0, 3.0, 3.0]


def test_a_variable_that_shares_its_name_with_an_operation_of_the_input_has_the_estimators_name(tmp_path):
    def counting(features, labels, mode):  # repeat() and take() each have a count
        count = tf1.get_variable("count", [2, 1], initializer=tf1.zeros_initializer())
        return trained(mode, tf1.losses.mean_squared_error(labels, features["x"] @ count))

    names = trained_to(tmp_path, counting).estimator.get_variable_names()
    assert names == ["count_2", "count_2/Momentum", "global_step"]


def test_the_session_config_holds_in_training(tmp_path):
    seen = []

    class Looking(tf1.train.SessionRunHook):
        def after_create_session(self, session, coord):
            seen.append(session._config.inter_op_parallelism_threads)

    Job(tmp_path, session_config=tf1.ConfigProto(inter_op_parallelism_threads=3), hooks=[Looking()]).run(1)
    assert seen == [3]


def test_a_second_process_in_the_same_directory_is_told(tmp_path, caplog):
    tf.get_logger().propagate = True

    class Second(tf1.train.SessionRunHook):
        def after_create_session(self, session, coord):
            Job(tmp_path / "other").run(1)
            assert "Another process trains" not in caplog.text
            code = "import sys; from tests.tensorflow.model_fn.linear import Job; Job(sys.argv[1]).run(1)"
            self.told = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)

    second = Second()
    Job(tmp_path, hooks=[second]).run(1)
    assert f"Another process trains in {tmp_path}" in second.told.stderr


def test_a_killed_process_leaves_no_word_about_it(tmp_path, caplog):
    tf.get_logger().propagate = True
    code = """
import os, signal, sys
from tests.tensorflow.model_fn.linear import Job, tf1
class Struck(tf1.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        os.kill(os.getpid(), signal.SIGKILL)
Job(sys.argv[1], hooks=[Struck()]).run(5)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert Job(tmp_path).run(2) == 2
    assert "Another process trains" not in caplog.text


def test_a_cluster_and_an_evaluator_that_would_train_are_refused(tmp_path, monkeypatch):
    cluster = {"chief": ["localhost:1"], "worker": ["localhost:2"], "ps": ["localhost:3"]}
    monkeypatch.setitem(sys.modules, "migrate.recovery.cluster.cluster", None)  # as where it was not copied
    for task, told in (
        ("worker", "TF_CONFIG names a cluster"),
        ("ps", "migrate the old program again, with train_and_evaluate or a line that names TF_CONFIG in it"),
        ("evaluator", "does not train"),
    ):
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": task, "index": 0}}))
        with pytest.raises(ValueError, match=told):
            Estimator(model_fn, tmp_path).train(input_fn, max_steps=3)
    assert not list(tmp_path.iterdir())


def test_a_training_that_would_go_on_with_its_input_is_refused_without_the_file_for_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "migrate.recovery.estimator.continued_input", None)  # as where it was not copied
    monkeypatch.setattr(Estimator, "input", "continue")
    with pytest.raises(ValueError, match=r"continued_input\.py, which is not there"):
        Estimator(model_fn, tmp_path).train(input_fn, max_steps=3)
    assert not list(tmp_path.glob("model.ckpt*"))
