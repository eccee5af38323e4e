"""What verify reads from an export: its signatures, and what it answers to inputs made from them."""

import numpy as np
import pytest
import tensorflow as tf

from migrate.verify.export_reader import exports

SPEC = {"a": tf.io.FixedLenFeature([2], tf.float32), "b": tf.io.VarLenFeature(tf.int64)}


class Model(tf.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = tf.Variable(weight)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, "x"), tf.TensorSpec([None], tf.string, "name")])
    def scores(self, x, name):
        return {"scores": tf.reduce_sum(x, 1) * self.weight, "name": name}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "examples")])
    def parsed(self, examples):
        features = tf.io.parse_example(examples, SPEC)
        return {"sum": tf.reduce_sum(features["a"], 1) * self.weight, "ids": tf.sparse.to_dense(features["b"])}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, "x")])
    def failing(self, x):
        with tf.control_dependencies([tf.debugging.assert_greater(x, 5.0)]):
            return {"x": tf.identity(x)}


@pytest.fixture
def export(tmp_path):
    def write(weight, number):
        model = Model(weight)
        signatures = {name: getattr(model, name) for name in ("scores", "parsed", "failing")}
        tf.saved_model.save(model, str(tmp_path / "export" / "latest" / str(number)), signatures)
        return tmp_path

    return write


def test_the_newest_export_answers_the_same_inputs_in_proportion_to_its_weights(export):
    first = exports(str(export(1.0, 9)))["export/latest"]
    (directory := export(2.0, 10)) and (directory / "export" / "latest" / "temp-11").mkdir()
    [second] = exports(str(directory)).values()
    assert first["scores"]["inputs"] == {"name": ["string", [None]], "x": ["float32", [None, 2]]}
    assert first["scores"]["values"]["name"] == ["a", "a", "a"]
    for signature, output in (("scores", "scores"), ("parsed", "sum")):
        one, two = (np.array(answers[signature]["values"][output]) for answers in (first, second))
        assert len(one) == 3
        assert (one > 0).all()
        np.testing.assert_array_equal(two, 2 * one)
    assert first["parsed"]["values"]["ids"] == second["parsed"]["values"]["ids"]


def test_a_signature_that_fails_and_an_export_that_is_broken_say_why(export):
    directory = export(1.0, 1)
    answer = exports(str(directory))["export/latest"]["failing"]
    assert answer["values"] == {}
    assert answer["problem"].startswith("InvalidArgumentError")
    (directory / "export" / "latest" / "1" / "saved_model.pb").write_bytes(b"no model")
    [broken] = exports(str(directory))["export/latest"].values()
    assert broken["problem"]
