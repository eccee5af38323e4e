"""Evaluation and prediction in a graph of their own, from either kind of checkpoint."""

import inspect

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator import Estimator, EstimatorSpec
from migrate.recovery.tpu import TPUEstimatorSpec

from .linear import Job, X, Y, event_values, loss_of, model_fn
from .programs import models


def evaluate(model_fn, input_fn, model_dir, params=None, **options):
    return Estimator(model_fn, model_dir, params=params).evaluate(input_fn, **options)


def predict(model_fn, input_fn, model_dir, **options):
    return Estimator(model_fn, model_dir).predict(input_fn, **options)


def eval_input_fn(batch=8):
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(batch)


def linear(features, labels, mode, params):
    w = tf1.get_variable("w", [2, 1], initializer=tf1.zeros_initializer())
    y = features["x"] @ w
    if mode == "infer":
        return EstimatorSpec(mode, predictions={"y": y, "double": y * 2})
    if mode == "train":
        return model_fn(features, labels, mode)
    metrics = {"mae": tf1.metrics.mean_absolute_error(labels, y), **params.get("metrics", {})}
    return EstimatorSpec(mode, loss=tf1.losses.mean_squared_error(labels, y), eval_metric_ops=metrics)


@pytest.fixture
def trained_job(tmp_path):
    job = Job(tmp_path, keep=None)
    job.run(10)
    return job


def outputs(w):
    return X @ w


def test_metrics_and_predictions_of_an_estimators_checkpoint_are_those_of_the_estimator(estimators):
    directory, expected = estimators
    model_dir = str(directory / "own" / "classifier")
    metrics = evaluate(models.classifier, models.eval_input_fn, model_dir, steps=9)
    assert metrics == pytest.approx(expected["judged"]["metrics"], rel=1e-6)
    assert metrics["global_step"] == 70
    predictions = [p["probability"] for p in predict(models.classifier, models.eval_input_fn, model_dir)]
    assert np.array(predictions) == pytest.approx(np.array(expected["judged"]["predictions"]), rel=1e-5)


def test_evaluation_takes_the_latest_checkpoint_and_adds_loss_and_step(trained_job, tmp_path):
    y = outputs(trained_job.value("w"))
    metrics = evaluate(linear, eval_input_fn, str(tmp_path))
    assert metrics.keys() == {"mae", "loss", "global_step"}
    assert metrics["mae"] == pytest.approx(np.abs(y - Y).mean(), rel=1e-5)
    assert metrics["loss"] == pytest.approx(np.square(y - Y).mean(), rel=1e-5)
    assert metrics["global_step"] == 10


def test_evaluation_of_a_given_checkpoint_and_of_none(trained_job, tmp_path):
    path = str(tmp_path / "model.ckpt-4")
    assert evaluate(linear, eval_input_fn, str(tmp_path), checkpoint_path=path)["global_step"] == 4
    fresh = evaluate(linear, eval_input_fn, str(tmp_path / "empty"))
    assert fresh["global_step"] == 0
    assert fresh["loss"] == pytest.approx(np.square(Y).mean(), rel=1e-5)


def test_evaluation_ends_after_so_many_steps_or_with_the_data(trained_job, tmp_path):
    first_batch = np.square(outputs(trained_job.value("w")) - Y)[:8].mean()
    loss = evaluate(linear, eval_input_fn, str(tmp_path), steps=1)["loss"]
    assert loss == pytest.approx(first_batch, rel=1e-5)
    two = evaluate(linear, eval_input_fn, str(tmp_path), steps=2)
    assert evaluate(linear, eval_input_fn, str(tmp_path), steps=1.5) == two  # as an Estimator
    whole = evaluate(linear, eval_input_fn, str(tmp_path))
    assert evaluate(linear, eval_input_fn, str(tmp_path), steps=1000) == whole


def test_evaluation_writes_its_metrics_for_tensorboard(trained_job, tmp_path):
    metrics = evaluate(linear, eval_input_fn, str(tmp_path))
    named = evaluate(linear, eval_input_fn, str(tmp_path), name="train")
    assert event_values(tmp_path / "eval", "mae") == {10: metrics["mae"]}
    assert event_values(tmp_path / "eval_train", "loss") == {10: named["loss"]}


def test_evaluation_leaves_the_training_variables_alone(trained_job, tmp_path):
    before = trained_job.value("w").tolist()
    evaluate(linear, eval_input_fn, str(tmp_path), checkpoint_path=str(tmp_path / "model.ckpt-0"))
    assert trained_job.value("w").tolist() == before


def test_evaluation_hooks_run_those_of_the_model_fn_too(trained_job, tmp_path):
    class Counting(tf1.train.SessionRunHook):
        runs = 0

        def after_run(self, run_context, run_values):
            self.runs += 1

    own, given = Counting(), Counting()

    def with_hook(features, labels, mode):
        return linear(features, labels, mode, {})._replace(evaluation_hooks=[own])

    evaluate(with_hook, eval_input_fn, str(tmp_path), hooks=[given])
    assert [own.runs, given.runs] == [5, 5]


def test_a_scaffold_with_a_saver_of_its_own_restores_by_it(tmp_path):
    """An exponential moving average, evaluated in the place of the variables."""

    def averaged(features, labels, mode):
        loss = loss_of(features, labels)
        average = tf.train.ExponentialMovingAverage(0.5)
        w = tf1.trainable_variables()
        step = tf1.train.get_global_step()
        if mode == "train":
            with tf1.control_dependencies([tf1.train.GradientDescentOptimizer(0.1).minimize(loss, step)]):
                return EstimatorSpec(mode, loss=loss, train_op=average.apply(w))
        saver = tf1.train.Saver({**average.variables_to_restore(), "global_step": step})
        return EstimatorSpec(mode, loss=loss, scaffold=tf1.train.Scaffold(saver=saver))

    job = Job(tmp_path, averaged)
    job.run(10)
    shadow = job.value("w/ExponentialMovingAverage")
    loss = evaluate(averaged, eval_input_fn, str(tmp_path))["loss"]
    assert loss == pytest.approx(np.square(outputs(shadow) - Y).mean(), rel=1e-5)


def test_metrics_and_a_scaffold_of_a_tpu_spec(trained_job, tmp_path):
    made = []

    def tpu(features, labels, mode, params):
        spec = linear(features, labels, mode, params)
        y = features["x"] @ tf1.trainable_variables()[0]
        metrics = (lambda y, labels: {"mean": tf1.metrics.mean(y)}, {"y": y, "labels": labels})
        scaffold_fn = lambda: made.append(1) or tf1.train.Scaffold()  # noqa: E731
        return TPUEstimatorSpec(mode, loss=spec.loss, eval_metrics=metrics, scaffold_fn=scaffold_fn)

    def tpu_input_fn(params):
        return eval_input_fn(params["batch_size"])

    metrics = evaluate(tpu, tpu_input_fn, str(tmp_path), params={"batch_size": 4})
    assert metrics["mean"] == pytest.approx(outputs(trained_job.value("w")).mean(), rel=1e-4)
    assert made == [1]


def test_prediction_is_a_generator_of_examples(trained_job, tmp_path):
    y = outputs(trained_job.value("w"))
    predictions = predict(linear, eval_input_fn, str(tmp_path))
    assert inspect.isgenerator(predictions)
    found = list(predictions)
    assert [p.keys() for p in found] == [{"y", "double"}] * 40
    assert np.array([p["y"] for p in found]) == pytest.approx(y, rel=1e-5)


def test_prediction_of_some_keys_or_of_whole_batches(trained_job, tmp_path):
    some = predict(linear, eval_input_fn, str(tmp_path), predict_keys=["double"])
    assert next(some).keys() == {"double"}
    whole = list(predict(linear, eval_input_fn, str(tmp_path), yield_single_examples=False))
    assert [batch["y"].shape for batch in whole] == [(8, 1)] * 5
    with pytest.raises(ValueError, match="None of"):
        next(predict(linear, eval_input_fn, str(tmp_path), predict_keys=["missing"]))


def test_prediction_of_a_tensor_and_from_features_alone(trained_job, tmp_path):
    def bare(features, mode):
        return EstimatorSpec(mode, predictions=features @ tf1.get_variable("w", [2, 1]))

    found = list(predict(bare, lambda: tf.data.Dataset.from_tensor_slices(X).batch(8), str(tmp_path)))
    assert np.array(found) == pytest.approx(outputs(trained_job.value("w")), rel=1e-5)


def test_the_caller_of_a_prediction_goes_on_eagerly_between_two_of_them(trained_job, tmp_path):
    for prediction in predict(linear, eval_input_fn, str(tmp_path)):
        assert tf.executing_eagerly()
        assert float(tf.constant(prediction["y"])[0]) == prediction["y"][0]


def test_predictions_of_unequal_length_are_an_error(trained_job, tmp_path):
    def unequal(features, labels, mode):
        return EstimatorSpec(mode, predictions={"x": features["x"], "one": tf1.get_variable("w", [2, 1])})

    with pytest.raises(ValueError, match="differ in batch length"):
        next(predict(unequal, eval_input_fn, str(tmp_path)))


def test_a_session_that_is_being_made_reads_the_vocabulary_table(trained_job, tmp_path):
    def with_table(features, labels, mode):
        values = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([7], tf.int64))
        table = tf.lookup.StaticHashTable(values, -1)
        tf1.get_variable("w", [2, 1])
        return EstimatorSpec(mode, predictions=table.lookup(tf.fill([8], "a")))

    assert next(predict(with_table, eval_input_fn, str(tmp_path))) == 7
