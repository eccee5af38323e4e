"""Variables and collections of layers that are emitted go where ``tf.contrib`` put them."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.variables import collect_named_outputs, get_variable_collections, model_variable


def test_a_model_variable_is_in_the_collections_that_contrib_put_it_into():
    with tf.Graph().as_default(), tf1.variable_scope("LayerNorm"):
        named = get_variable_collections({"beta": ["own"]}, "beta")
        beta = model_variable("beta", [3], collections=named, initializer=tf1.zeros_initializer())
        gamma = model_variable("gamma", [3], collections=get_variable_collections(None, "gamma"), trainable=False)
        assert [v.op.name for v in tf1.global_variables()] == ["LayerNorm/beta", "LayerNorm/gamma"]
        assert tf1.get_collection(tf1.GraphKeys.MODEL_VARIABLES) == [beta, gamma]
        assert tf1.get_collection("own") == tf1.trainable_variables() == [beta]
        assert get_variable_collections({"beta": ["own"]}, "gamma") is None


def test_outputs_are_collected_where_collections_are_named():
    with tf.Graph().as_default():
        y = tf.constant(1.0)
        assert collect_named_outputs(None, "y", y) is y
        assert collect_named_outputs("ends", "y", y) is y
        assert tf1.get_collection("ends") == [y]
