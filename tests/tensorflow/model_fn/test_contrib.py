"""What stands for names of ``tf.contrib`` does what they did: it is compared with what contrib named or computed."""

import os
import sys

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python.ops import lookup_ops  # contrib.lookup only named these functions again

from migrate.recovery.model_fn_layer_norm import layer_norm
from migrate.recovery.model_fn_lookup import index_table_from_file, index_table_from_tensor
from migrate.recovery.model_fn_regularizers import l1_regularizer, l2_regularizer
from migrate.rules.contrib_names import SUCCESSORS
from tests import nursery

WORDS = ["emerson", "lake", "palmer", "and", "others", "é"]
OTHERS = [{}, {"num_oov_buckets": 3}, {"default_value": 1}]


def looked_up(make):
    with tf.Graph().as_default(), tf1.Session() as session:
        ids = make().lookup(tf.constant(WORDS))
        session.run(tf1.tables_initializer())
        return session.run(ids).tolist()


def in_session(tensors):
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        return session.run(tensors)


def test_every_successor_exists():
    names = ", ".join(f"tf1.{name}" for name in SUCCESSORS.values())
    program = f"import tensorflow.compat.v1 as tf1; print(len([{names}]))"
    is_new = tf.version.VERSION.split(".") >= ["2", "16"]
    environment = {**os.environ, **({"TF_USE_LEGACY_KERAS": "1"} if is_new else {})}  # RNN cells are layers
    done = nursery.run([sys.executable, "-c", program], environment)
    assert int(done.stdout) == len(SUCCESSORS)


@pytest.mark.parametrize("others", OTHERS)
@pytest.mark.parametrize("size", [None, 2])
def test_a_table_from_a_file_is_that_of_contrib(others, size, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("emerson\nlake\npalmer\n")
    arguments = {**others, "vocab_size": size}
    found = looked_up(lambda: index_table_from_file(str(path), **arguments))
    assert found == looked_up(lambda: lookup_ops.index_table_from_file(str(path), **arguments))


@pytest.mark.parametrize("others", OTHERS)
def test_a_table_from_a_list_is_that_of_contrib(others):
    found = looked_up(lambda: index_table_from_tensor(WORDS[:3], **others))
    assert found == looked_up(lambda: lookup_ops.index_table_from_tensor(WORDS[:3], **others))


def test_regularizers_are_scale_times_what_contrib_computed():
    with tf.Graph().as_default():
        collected = []
        for name, regularizer in (("one", l1_regularizer(0.1)), ("two", l2_regularizer(0.3))):
            with tf1.variable_scope(name):
                w = tf1.get_variable("w", [7, 5], regularizer=regularizer)
            sums = {"one": tf.reduce_sum(tf.abs(w)), "two": tf.nn.l2_loss(w)}
            collected.append(tf.multiply({"one": 0.1, "two": 0.3}[name], sums[name]))
        losses, expected = in_session([tf1.losses.get_regularization_losses(), collected])
    assert losses == expected


def test_a_regularizer_of_scale_zero_adds_no_loss():
    with tf.Graph().as_default():
        tf1.get_variable("w", [2], regularizer=l2_regularizer(0.0))
        assert tf1.losses.get_regularization_losses() == []


@pytest.mark.parametrize("axis", [1, -1])
def test_layer_norm_is_that_of_contrib_with_its_variables(axis):
    x = np.random.RandomState(0).rand(2, 3, 4).astype("f")
    with tf.Graph().as_default():
        y = layer_norm(tf.constant(x), begin_norm_axis=axis, scope="norm")
        again = layer_norm(tf.constant(x), begin_norm_axis=axis)
        variables = [(v.op.name, v.shape.as_list(), v.trainable) for v in tf1.global_variables()]
        found, same, rest = in_session([y, again, layer_norm(tf.constant(x), center=False, scale=False)])
    assert variables == [(name, [4], True) for name in ("norm/beta", "norm/gamma", "LayerNorm/beta", "LayerNorm/gamma")]
    axes = (1, 2) if axis == 1 else (2,)
    expected = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-12)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
    assert found.tolist() == same.tolist()
    np.testing.assert_allclose(rest, expected if axis == 1 else rest, rtol=1e-4, atol=1e-6)


def test_layer_norm_takes_the_variables_that_its_scope_has():
    with tf.Graph().as_default():
        for reuse in (None, True):
            layer_norm(tf.zeros([2, 3]), scope="norm", reuse=reuse)
        assert len(tf1.global_variables()) == 2


@pytest.mark.parametrize("shape", [[3], [3, 4], [2, 2, 3, 4]])
def test_xavier_is_the_uniform_initializer_of_glorot(shape):
    fan_in, fan_out = float(shape[-2] if len(shape) > 1 else shape[-1]), float(shape[-1])
    for size in shape[:-2]:
        fan_in, fan_out = fan_in * size, fan_out * size
    limit = (6.0 / (fan_in + fan_out)) ** 0.5
    with tf.Graph().as_default():
        w = tf1.glorot_uniform_initializer(seed=5)(shape)
        assert in_session(w).tolist() == in_session(tf1.random_uniform(shape, -limit, limit, seed=5)).tolist()
