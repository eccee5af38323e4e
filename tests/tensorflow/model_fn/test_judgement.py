"""Evaluation and prediction in a graph of their own, from either kind of checkpoint."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.tpu import TPUEstimatorSpec

from .linear import Job, X, Y, loss_of, model_fn


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


def test_an_evaluation_of_a_fraction_makes_the_step_that_is_begun_as_an_estimator_does(trained_job, tmp_path):
    two = evaluate(linear, eval_input_fn, str(tmp_path), steps=2)
    assert evaluate(linear, eval_input_fn, str(tmp_path), steps=1.5) == two


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


def test_the_caller_of_a_prediction_goes_on_eagerly_between_two_of_them(trained_job, tmp_path):
    for prediction in predict(linear, eval_input_fn, str(tmp_path)):
        assert tf.executing_eagerly()
        assert float(tf.constant(prediction["y"])[0]) == prediction["y"][0]
