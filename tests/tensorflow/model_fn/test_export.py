"""Exports hold what the Estimator's held, and as many are kept."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator import export as serving
from migrate.recovery.estimator import export_outputs
from migrate.recovery.estimator.best_exporter import BestResult
from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.model_exporters import keep_newest_exports

from .linear import Job, X
from .test_judgement import eval_input_fn, evaluate, linear


@pytest.fixture
def trained_job(tmp_path):
    job = Job(tmp_path)
    job.run(10)
    return job


def with_outputs(**outputs):
    def model_fn(features, labels, mode):
        y = features["x"] @ tf1.get_variable("w", [2, 1])
        made = {name: make(y) for name, make in outputs.items()}
        return EstimatorSpec(mode, predictions={"y": y}, export_outputs=made)

    return model_fn


def expected(job):
    return X @ job.value("w")


def exported(model_fn, base, receiver_fn, model_dir, **options):
    """The path of an export; like the Estimator's it is made of bytes."""
    path = Estimator(model_fn, model_dir).export_saved_model(base, receiver_fn, **options)
    assert isinstance(path, bytes)
    return path.decode()


@pytest.mark.parametrize("kind", ["TensorServingInputReceiver", "ServingInputReceiver"])
def test_a_single_tensor_reaches_the_model_fn_as_it_did(trained_job, tmp_path, kind):
    """By itself, or as the dict's "feature" from the class that always gave a dict."""

    def model_fn(features, labels, mode):
        assert isinstance(features, dict) == (kind == "ServingInputReceiver")
        x = features["feature"] if isinstance(features, dict) else features
        return EstimatorSpec(mode, predictions={"y": x @ tf1.get_variable("w", [2, 1])})

    def receive(module=serving):
        x = tf1.placeholder(tf.float32, [None, 2])
        return getattr(module, kind)(features=x, receiver_tensors=x)

    path = exported(model_fn, str(tmp_path / "export"), receive, str(tmp_path))
    served = tf.saved_model.load(path).signatures["serving_default"](input=tf.constant(X))
    assert served["y"].numpy() == pytest.approx(expected(trained_job), rel=1e-5)
    if hasattr(tf, "estimator"):
        with tf.Graph().as_default():
            old = receive(tf.estimator.export)
            assert isinstance(old.features, dict) == (kind == "ServingInputReceiver")
            assert list(old.receiver_tensors) == ["input"]


def test_a_receiver_with_alternatives_is_fed_at_each_of_its_points(trained_job, tmp_path):
    def receive(module=serving):
        text = tf1.placeholder(tf.string, [None])
        x = tf.stack([tf1.strings.to_number(text), tf1.strings.to_number(text)], 1)
        return module.ServingInputReceiver({"x": x}, {"text": text}, receiver_tensors_alternatives={"parsed": x})

    model_fn = with_outputs(scaled=lambda y: export_outputs.PredictOutput({"tens": y * 10}))
    path = exported(model_fn, str(tmp_path / "export"), receive, str(tmp_path))
    loaded = tf.saved_model.load(path).signatures
    expected_names = {"serving_default", "scaled", "parsed:serving_default", "parsed:scaled"}
    assert set(loaded) == expected_names
    served = loaded["parsed:scaled"](input=tf.constant(X))["tens"].numpy()
    assert served == pytest.approx(expected(trained_job) * 10, rel=1e-5)
    if hasattr(tf, "estimator"):

        def old_model_fn(features, labels, mode):
            outputs = {"scaled": tf.estimator.export.PredictOutput({"tens": features["x"] * 10})}
            tf1.get_variable("w", [2, 1])
            return tf.estimator.EstimatorSpec(mode, predictions={"y": features["x"] * 2}, export_outputs=outputs)

        old = tf.estimator.Estimator(old_model_fn, str(tmp_path))
        path = old.export_saved_model(str(tmp_path / "old"), lambda: receive(tf.estimator.export)).decode()
        assert set(tf.saved_model.load(path).signatures) == expected_names


def test_requests_of_example_protos_are_parsed_and_classified(trained_job, tmp_path):
    parsing = serving.build_parsing_serving_input_receiver_fn({"x": tf.io.FixedLenFeature([2], tf.float32)})
    model_fn = with_outputs(
        serving_default=lambda y: export_outputs.ClassificationOutput(scores=y),
        regression=lambda y: export_outputs.RegressionOutput(tf.squeeze(y, 1)),
    )
    loaded = tf.saved_model.load(exported(model_fn, str(tmp_path / "export"), parsing, str(tmp_path)))
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=X[3]))
    example = tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()
    y = expected(trained_job)[3]
    assert loaded.signatures["serving_default"](tf.constant([example]))["scores"].numpy()[0] == pytest.approx(y)
    assert loaded.signatures["regression"](tf.constant([example]))["outputs"].numpy() == pytest.approx(y)


def test_the_newest_exports_are_kept_and_other_directories_left(tmp_path):
    for name in ["1000000001", "1000000002", "1000000003", "temp-1000000004", "notes"]:
        (tmp_path / name).mkdir()
    keep_newest_exports(str(tmp_path), 2)
    assert {p.name for p in tmp_path.iterdir()} == {"1000000002", "1000000003", "temp-1000000004", "notes"}
    keep_newest_exports(str(tmp_path), None)
    assert len(list(tmp_path.iterdir())) == 4


def test_the_best_result_is_remembered_across_restarts(trained_job, tmp_path):
    metrics = evaluate(linear, eval_input_fn, str(tmp_path))
    better, worse = {"loss": metrics["loss"] / 2}, {"loss": metrics["loss"] * 2}
    best = BestResult(str(tmp_path / "eval"))
    assert [best.improves(m) for m in (metrics, worse, better, metrics)] == [True, False, True, False]
    again = BestResult(str(tmp_path / "eval"))
    assert [again.improves(m) for m in (worse, metrics)] == [True, True]
    largest = BestResult(
        str(tmp_path / "none"), lambda best_eval_result, current_eval_result: best_eval_result < current_eval_result
    )
    assert [largest.improves(np.float32(v)) for v in (1, 3, 2)] == [True, True, False]
