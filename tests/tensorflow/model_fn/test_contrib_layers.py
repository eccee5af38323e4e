"""Layers of ``tf.contrib`` that are emitted compute what its definition in TensorFlow 1.15 says, to the last bit."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.layer_functions import batch_norm, fully_connected

X = np.random.RandomState(0).rand(20, 6, 5).astype("f")


def l2(weights):
    return 0.01 * tf.nn.l2_loss(weights)


def test_fully_connected_normalizes_in_the_place_of_biases():
    with tf.Graph().as_default():
        doubled = {"normalizer_fn": lambda x, by: x * by, "normalizer_params": {"by": 2.0}}
        y = fully_connected(tf.ones([1, 2]), 3, weights_initializer=tf1.ones_initializer(), **doubled)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            assert session.run(y).tolist() == [[4.0, 4.0, 4.0]]
        assert [v.op.name for v in tf1.global_variables()] == ["fully_connected/weights"]


def test_fully_connected_regularizes_a_variable_that_it_takes_again_once():
    with tf.Graph().as_default():
        for reuse in (None, True):
            fully_connected(tf.zeros([2, 3]), 1, weights_regularizer=l2, scope="one", reuse=reuse)
        fully_connected(tf.zeros([2, 3]), 1, scope="one", reuse=tf1.AUTO_REUSE)
        assert len(tf1.global_variables()) == 2
        assert len(tf1.get_collection(tf1.GraphKeys.REGULARIZATION_LOSSES)) == 1
        assert tf1.get_collection(tf1.GraphKeys.MODEL_VARIABLES) == tf1.global_variables()


def test_fully_connected_begins_with_the_weights_of_glorot():
    with tf.Graph().as_default(), tf1.Session() as session:
        fully_connected(tf.zeros([2, 300]), 100)
        session.run(tf1.global_variables_initializer())
        weights, biases = session.run(tf1.global_variables())
    limit = (6 / 400) ** 0.5
    assert 0.99 * limit < np.abs(weights).max() <= limit
    assert abs(weights.std() / (limit / 3**0.5) - 1) < 0.02
    assert not biases.any()


def test_batch_norm_leaves_its_averages_to_the_operations_of_the_graph():
    with tf.Graph().as_default(), tf1.Session() as session:
        y = batch_norm(tf.constant(X[0]), 0.9, scale=True)
        updates = tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
        session.run(tf1.global_variables_initializer())
        session.run(y)
        averages = {v.op.name: v for v in tf1.global_variables() if "moving" in v.op.name}
        assert session.run(averages["BatchNorm/moving_mean"]).tolist() == [0.0] * 5
        session.run(updates)
        found = session.run(averages)
    np.testing.assert_allclose(found["BatchNorm/moving_mean"], 0.1 * X[0].mean(0), rtol=1e-5)
    np.testing.assert_allclose(found["BatchNorm/moving_variance"], 0.9 + 0.1 * X[0].var(0, ddof=1), rtol=1e-5)


@pytest.mark.parametrize("known", [True, False])
def test_batch_norm_takes_the_averages_where_it_does_not_train(known):
    with tf.Graph().as_default(), tf1.Session() as session:
        training = False if known else tf1.placeholder_with_default(False, [])
        options = {"updates_collections": None, "scope": "norm"}
        y = batch_norm(tf.constant(X[0]), is_training=training, **options)
        again = batch_norm(tf.constant(X[0]), is_training=False, reuse=True, **options)
        session.run(tf1.global_variables_initializer())
        found, same = session.run([y, again])
        np.testing.assert_allclose(found, X[0] / np.sqrt(1.001), rtol=1e-5)
        assert found.tolist() == same.tolist()
        assert {v.op.name: session.run(v).tolist() for v in tf1.global_variables()} == {
            "norm/beta": [0.0] * 5, "norm/moving_mean": [0.0] * 5, "norm/moving_variance": [1.0] * 5
        }  # fmt: skip


def test_batch_norm_refuses_a_rank_that_it_does_not_take():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="rank 2 or 4"):
        batch_norm(tf.zeros([2, 3, 4]))
