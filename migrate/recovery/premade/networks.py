"""The networks of the premade estimators, with an Estimator's names of variables.

A network is a function of features (a dict of tensors), units (an int) and mode that
returns the logits, [batch, units].
"""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def dnn_network(
    feature_columns,
    hidden_units,
    activation_fn=tf.nn.relu,
    dropout=None,
    batch_norm=False,
):
    """Returns the network of ``DNNClassifier`` and ``DNNRegressor``.

    Args:
      feature_columns: the ``tf.feature_column`` objects of its input, a list.
      hidden_units: the widths of the hidden layers, a list of ints.
      activation_fn: of the hidden layers; None for none.
      dropout: the share of units to drop in training, in [0, 1); None for none.
      batch_norm: whether the hidden layers are followed by batch normalization.
    """

    def network(features, units, mode):
        training = mode == "train"
        with tf1.variable_scope("input_from_feature_columns"):
            net = tf1.feature_column.input_layer(features, feature_columns)
        for number, width in enumerate(hidden_units):
            with tf1.variable_scope(f"hiddenlayer_{number}"):
                net = _dense(net, width)
                net = activation_fn(net) if activation_fn else net
                if dropout is not None and training:
                    net = tf.nn.dropout(net, dropout)
                if batch_norm:
                    with tf1.variable_scope(f"batchnorm_{number}") as scope:
                        net = _batch_norm(net, training, scope)
        with tf1.variable_scope("logits"):
            return _dense(net, units)

    return network


def linear_network(feature_columns, sparse_combiner="sum"):
    """Returns the network of ``LinearClassifier`` and ``LinearRegressor``.

    Args:
      feature_columns: the ``tf.feature_column`` objects of its input, a list.
      sparse_combiner: "sum", "mean" or "sqrtn": how to combine a feature's several values.
    """
    return lambda features, units, mode: tf1.feature_column.linear_model(
        features, feature_columns, units, sparse_combiner
    )


def baseline_network(features, units, mode):
    """Returns the logits of ``BaselineClassifier`` and ``BaselineRegressor``."""
    batch_size = tf.shape(next(iter(features.values())))[0]
    bias = tf1.get_variable("bias", [units], initializer=tf1.zeros_initializer())
    return tf.multiply(bias, tf.ones([batch_size, units]))


def _dense(net, width):
    width = int(width)  # a flag's value may be a str, which an Estimator accepts
    glorot = tf1.glorot_uniform_initializer()
    kernel = tf1.get_variable("kernel", [net.shape[-1], width], initializer=glorot)
    bias = tf1.get_variable("bias", [width], initializer=tf1.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(net, kernel), bias)


def _batch_norm(net, training, scope):
    shape, ones = [net.shape[-1]], tf1.ones_initializer()
    zeros = tf1.zeros_initializer()
    gamma = tf1.get_variable("gamma", shape, initializer=ones)
    beta = tf1.get_variable("beta", shape, initializer=zeros)
    scope.set_partitioner(None)
    fixed = {"trainable": False}
    moving_mean = tf1.get_variable("moving_mean", shape, initializer=zeros, **fixed)
    moved = tf1.get_variable("moving_variance", shape, initializer=ones, **fixed)
    mean, variance = moving_mean, moved
    if training:
        mean, variance = tf.nn.moments(net, [0])
        for moving, value in ((moving_mean, mean), (moved, variance)):
            update = moving.assign_sub((moving - value) * (1 - 0.999))
            tf1.add_to_collection(tf1.GraphKeys.UPDATE_OPS, update)
    return tf.nn.batch_normalization(net, mean, variance, beta, gamma, 0.001)
