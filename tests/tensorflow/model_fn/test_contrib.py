"""What stands for names of ``tf.contrib`` does what they did: it is compared with what contrib named or computed."""

import os
import sys

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python.ops import lookup_ops  # contrib.lookup only named these functions again

from migrate.recovery.contrib.initializers import Initializers, variance_scaling_initializer, xavier_initializer
from migrate.recovery.contrib.layer_norm import layer_norm
from migrate.recovery.contrib.lookup import (
    index_table_from_file,
    index_table_from_tensor,
    index_to_string_table_from_file,
)
from migrate.recovery.contrib.optimize_loss import optimize_loss
from migrate.recovery.contrib.regularizers import l2_regularizer
from tests import nursery
from tests.cases import each
from tests.contrib_names import successors

WORDS = ["emerson", "lake", "palmer", "and", "others", "é"]


def looked_up(make, keys=WORDS):
    with tf.Graph().as_default(), tf1.Session() as session:
        ids = make().lookup(tf.constant(keys))
        session.run(tf1.tables_initializer())
        return session.run(ids).tolist()


def in_session(tensors):
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        return session.run(tensors)


def test_every_successor_exists():
    names = ", ".join(f"tf1.{name}" for name in successors())
    program = f"import tensorflow.compat.v1 as tf1; print(len([{names}]))"
    is_new = tf.version.VERSION.split(".") >= ["2", "16"]
    environment = {**os.environ, **({"TF_USE_LEGACY_KERAS": "1"} if is_new else {})}  # RNN cells are layers
    done = nursery.run([sys.executable, "-c", program], environment)
    assert int(done.stdout) == len(successors()) > 40


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_tables_of_the_columns_of_a_file_are_those_of_contrib(delimiter, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{word}{delimiter}{number}\n" for number, word in enumerate(("emerson", "lake"), 5)))
    word, number = {"key_column_index": 0, "value_column_index": 1}, {"key_column_index": 1, "value_column_index": 0}
    for ours, contribs, keys, columns in (
        (index_table_from_file, lookup_ops.index_table_from_file, WORDS, word),
        (index_to_string_table_from_file, lookup_ops.index_to_string_table_from_file, np.array([5, 6, 7]), number),
    ):
        arguments = {**columns, "delimiter": delimiter}
        found = looked_up(lambda make=ours, given=arguments: make(str(path), **given), keys)
        assert found == looked_up(lambda make=contribs, given=arguments: make(str(path), **given), keys)
        assert found[0] in (5, b"emerson")


def test_buckets_beside_a_default_that_is_a_words_number_are_refused():
    with pytest.raises(ValueError, match="must be negative"):
        looked_up(lambda: index_table_from_tensor(WORDS[:3], num_oov_buckets=3, default_value=1))


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


def steps_with(add_training):
    """The losses of 20 steps, and all variables after them by name."""
    x = np.random.RandomState(0).rand(20, 8, 3).astype("f")
    with tf.Graph().as_default(), tf1.Session() as session:
        step = tf1.train.create_global_step()
        batch = tf.gather(x, step)
        w = tf1.get_variable("w", [3, 1], initializer=tf1.ones_initializer())
        moving = tf1.get_variable("moving", [], trainable=False, initializer=tf1.zeros_initializer())
        tf1.add_to_collection(tf1.GraphKeys.UPDATE_OPS, moving.assign_add(1.0))
        train = add_training(tf1.losses.mean_squared_error(tf.reduce_sum(batch, 1, True), batch @ w))
        session.run(tf1.global_variables_initializer())
        losses = [float(session.run(train)) for _ in range(20)]
        return losses, {v.op.name: session.run(v).tolist() for v in tf1.global_variables()}


def decayed(rate, step):
    return tf1.train.exponential_decay(rate, step, 5, 0.5)


@each("optimizer")("Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp", "SGD")
def test_optimize_loss_runs_the_updates_and_counts_the_steps_with_the_optimizer_of_a_name(optimizer):
    _, variables = steps_with(lambda loss: optimize_loss(loss, None, 0.05, optimizer, clip_gradients=0.5))
    assert variables["moving"] == variables["global_step"] == 20
    slots = [name for name in variables if name.startswith("OptimizeLoss/w/")]
    assert slots[:1] == ([] if optimizer == "SGD" else [f"OptimizeLoss/w/{optimizer}"])
    assert {"OptimizeLoss/learning_rate", "w"} < variables.keys()


def test_optimize_loss_takes_the_decay_of_its_rate():
    decaying = steps_with(lambda loss: optimize_loss(loss, None, 0.05, "SGD", learning_rate_decay_fn=decayed))
    expected = steps_with(lambda loss: optimize_loss(loss, None, decayed(0.05, tf1.train.get_global_step()), "SGD"))
    assert decaying[0] == expected[0]


def test_optimize_loss_takes_an_optimizer_its_class_or_a_function_that_makes_it():
    made = tf1.train.AdagradOptimizer
    by_class = steps_with(lambda loss: optimize_loss(loss, None, 0.05, made))
    by_rate = steps_with(lambda loss: optimize_loss(loss, None, 0.05, lambda rate: made(rate)))
    assert by_class == by_rate
    alone = steps_with(lambda loss: optimize_loss(loss, None, None, lambda: made(0.05), name="own"))
    assert alone[0] == by_class[0]
    assert "own/w/Adagrad" in alone[1]
    still = steps_with(lambda loss: optimize_loss(loss, None, None, made(0.05), increment_global_step=False))
    assert still[1]["global_step"] == 0


def test_optimize_loss_writes_the_summaries_that_contrib_wrote():
    def tags(**more):
        with tf.Graph().as_default():
            tf1.train.create_global_step()
            w = tf1.get_variable("w", [2])
            optimize_loss(tf.reduce_sum(w), None, 0.1, "SGD", clip_gradients=1.0, **more)
            return [s.op.name for s in tf1.get_collection("summaries")]

    norms = ["OptimizeLoss/global_norm/gradient_norm", "OptimizeLoss/global_norm/clipped_gradient_norm"]
    assert tags() == [norms[0], "OptimizeLoss/loss", norms[1]]
    own = ["OptimizeLoss/gradients/w_0", "OptimizeLoss/gradient_norm/w_0"]
    assert tags(summaries=["gradients", "gradient_norm"]) == [norms[0], *own, norms[1]]


@pytest.mark.parametrize(("rate", "optimizer"), [(1, "SGD"), (-0.1, "SGD"), (0.1, lambda rate: None), (0.1, "sgd")])
def test_optimize_loss_refuses_what_contrib_refused(rate, optimizer):
    with tf.Graph().as_default():
        tf1.train.create_global_step()
        w = tf1.get_variable("w", [2])
        with pytest.raises(ValueError, match="Not a"):
            optimize_loss(tf.reduce_sum(w), None, rate, optimizer)


def test_initializers_give_the_numbers_of_tensorflow_1_15():
    made = [  # with what TensorFlow 1.15.5 gave, summed
        (Initializers.xavier_initializer(seed=3), [4, 3], -2.4656732082366943),
        (Initializers.xavier_initializer(False, seed=3), [4, 3], 0.6128734946250916),
        (Initializers.xavier_initializer_conv2d(False, seed=3), [2, 2, 3, 4], -1.3614511489868164),
        (variance_scaling_initializer(seed=3), [5], 0.22912439703941345),
        (variance_scaling_initializer(1.5, "FAN_OUT", True, 3), [3, 2, 4], -2.670670747756958),
        (variance_scaling_initializer(seed=3), [], 1.7118786573410034),
    ]
    with tf.Graph().as_default():
        variables = [tf1.get_variable(f"v{i}", shape, initializer=f) for i, (f, shape, _) in enumerate(made)]
        sums = [float(value.sum()) for value in in_session(variables)]
    assert sums == [expected for _, _, expected in made]
    with pytest.raises(TypeError, match="FAN_IN"):
        variance_scaling_initializer(mode="fan_in")
    with pytest.raises(TypeError, match="floating"):
        xavier_initializer(dtype=tf.int32)
