"""The hidden layers of ``tf.contrib.learn``'s deep estimators, with its names."""

import tensorflow.compat.v1 as tf1

from .contrib_column_layers import are_of_contrib, input_from_feature_columns
from .contrib_layer_functions import fully_connected


def learn_dnn_logits(features, columns, layers, units, mode, told):
    """Returns the outputs of a deep network; the scope ``dnn`` is open.

    Args:
      features: a dict from names to tensors.
      columns: of ``tf.feature_column``, or of ``tf.contrib.layers``.
      layers: the widths of the hidden layers, their activation and their dropout.
      units: how many outputs an example has.
      mode: "train" where units are dropped.
      told: what stands between the name of a layer and that of its summary.
    """
    widths, activation_fn, dropout = layers
    columns = list(columns or ())
    with tf1.variable_scope("input_from_feature_columns") as scope:
        # Its own partitioner: with one part for all it makes the same names.
        if are_of_contrib(columns):
            net = input_from_feature_columns(features, columns, scope=scope)
        else:
            net = tf1.feature_column.input_layer(features, columns)
    for number, width in enumerate(widths):
        with tf1.variable_scope(f"hiddenlayer_{number}") as scope:
            net = fully_connected(net, width, activation_fn, scope=scope)
            if dropout is not None and mode == "train":
                net = tf1.nn.dropout(net, rate=dropout)
        summarize_layer(net, scope.name + told)
    with tf1.variable_scope("logits") as scope:
        logits = fully_connected(net, units, None, scope=scope)
    summarize_layer(logits, scope.name + told)
    return logits


def summarize_layer(value, name):
    """Writes a layer's summaries; the name ends in what stands before theirs."""
    zeros = tf1.nn.zero_fraction(value)
    tf1.summary.scalar(f"{name}fraction_of_zero_values", zeros)
    tf1.summary.histogram(f"{name}activation", value)
