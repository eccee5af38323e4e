"""The LSTM of ``tf.contrib.rnn`` whose gates are normalized."""

import tensorflow.compat.v1 as tf1

from .contrib_cells import RecurrentCell, StatePair
from .contrib_layer_norm import layer_norm


class LayerNormBasicLSTMCell(RecurrentCell):
    """An LSTM whose gates are normalized, with dropout of what it takes in.

    Args:
      num_units: the size of its state.
      forget_bias: added to the forget gate.
      input_size: has no effect.
      activation: of the state and of what it takes in.
      layer_norm: whether to normalize; else the gates have a ``bias``.
      norm_gain, norm_shift: ``gamma`` and ``beta`` of the norms at the start.
      dropout_keep_prob: how much is kept.
      dropout_prob_seed: of the dropout.
      reuse: whether to take the variables that the scope has.
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        input_size=None,
        activation=tf1.tanh,
        layer_norm=True,
        norm_gain=1.0,
        norm_shift=0.0,
        dropout_keep_prob=1.0,
        dropout_prob_seed=None,
        reuse=None,
    ):
        size = StatePair(num_units, num_units)
        super().__init__("layer_norm_basic_lstm_cell", size, num_units, reuse)
        self._activation, self._forget_bias = activation, forget_bias
        self._is_normed, self._gain, self._shift = layer_norm, norm_gain, norm_shift
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    def call(self, inputs, state):
        cell, output = state
        joined = tf1.concat([inputs, output], 1)
        shape = [joined.shape[-1], 4 * self.output_size]
        gates = tf1.matmul(joined, tf1.get_variable("kernel", shape, joined.dtype))
        if not self._is_normed:
            bias = tf1.get_variable("bias", shape[1:], joined.dtype)
            gates = tf1.nn.bias_add(gates, bias)
        i, j, f, o = (
            self._norm(gate, name)
            for gate, name in zip(
                tf1.split(gates, 4, 1), ("input", "transform", "forget", "output")
            )
        )
        taken = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            taken = tf1.nn.dropout(taken, self._keep_prob, seed=self._seed)
        cell = cell * tf1.sigmoid(f + self._forget_bias) + tf1.sigmoid(i) * taken
        cell = self._norm(cell, "state")
        output = self._activation(cell) * tf1.sigmoid(o)
        return output, StatePair(cell, output)

    def _norm(self, values, scope):
        if not self._is_normed:
            return values
        with tf1.variable_scope(scope):
            for name, start in (("gamma", self._gain), ("beta", self._shift)):
                start = tf1.constant_initializer(start)
                tf1.get_variable(name, values.shape[-1:], values.dtype, start)
        return layer_norm(values, reuse=True, scope=scope)
