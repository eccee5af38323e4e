"""A dataset that an input function reads and does not make: TensorFlow 2 stops at such an iterator."""

import pytest

from tests.codemod.programs import migrate

_PROGRAM = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    loss = tf.reduce_sum(tf.get_variable("w", []) - features)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def made():
    return tf.data.Dataset.range(8).map(float)


{code}
tf.estimator.Estimator(model_fn, "job").train({input_fn}, steps=2)
"""
_OUTSIDE = {
    "of the module": ("data = made()", "lambda: data.repeat().make_one_shot_iterator().get_next()"),
    "given to what makes the input function": (
        "def once(ds):\n    def read():\n        return ds.make_one_shot_iterator().get_next()\n    return read\n",
        "once(made().batch(2))",
    ),
    "passed to what reads it": (
        "data = tf.data.Dataset.range(8)\n\n"
        "def read(ds):\n    ds = ds.batch(2)\n    return ds.make_one_shot_iterator().get_next()\n",
        "lambda: read(data)",
    ),
    "a constant": (
        "rate = [tf.constant(2.0)]\n",
        "lambda: made().map(lambda x: x * rate[0]).make_one_shot_iterator().get_next()",
    ),
}
_INSIDE = {
    "made as it is read": ("", "lambda: made().make_one_shot_iterator().get_next()"),
    "a parameter": ("def read(ds):\n    return ds.make_one_shot_iterator().get_next()\n", "lambda: read(made())"),
    "read by a function that is called where the dataset is made": (
        "def fn():\n    ds = made()\n\n    def read():\n        return ds.make_one_shot_iterator().get_next()\n"
        "    return read()\n",
        "fn",
    ),
    "a constant that only the top of the file reads": (
        "rate = tf.constant(2.0)\nprint(rate.shape)\n",
        "lambda: made().make_one_shot_iterator().get_next()",
    ),
    "an object that makes it": (
        "class Data:\n    def read(self):\n        return made()\n\n\ndata = Data()\n",
        "lambda: data.read().make_one_shot_iterator().get_next()",
    ),
}


@pytest.mark.parametrize("where", _OUTSIDE)
def test_a_program_whose_dataset_is_made_outside_of_its_input_function_stays_as_it_is(where):
    code, input_fn = _OUTSIDE[where]
    text = _PROGRAM.format(code=code, input_fn=input_fn)
    written, findings = migrate(text)
    assert written == text
    assert [finding.code for finding in findings if finding.is_own_reason] == ["FT153"]


@pytest.mark.parametrize("where", _INSIDE)
def test_a_program_that_makes_its_dataset_for_each_graph_is_migrated(where):
    code, input_fn = _INSIDE[where]
    written, findings = migrate(_PROGRAM.format(code=code, input_fn=input_fn))
    assert "FT153" not in {finding.code for finding in findings}
    assert "tf.estimator" not in written
