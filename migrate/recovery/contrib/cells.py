"""Recurrent cells of ``tf.contrib.rnn``."""

import collections

import tensorflow.compat.v1 as tf1

StatePair = collections.namedtuple("LSTMStateTuple", ("c", "h"))


class RecurrentCell:
    """A base class of recurrent cells; each has its own variable scope.

    Args:
      name: of the scope.
      state_size: the size of the state, an int or a pair of ints.
      output_size: the size of the outputs, an int.
      reuse: whether to use the existing variables of the scope.
    """

    def __init__(self, name, state_size, output_size, reuse):
        self.state_size, self.output_size = state_size, output_size
        self._name, self._reuse, self._scope = name, reuse, None

    def zero_state(self, batch_size, dtype):
        """Returns a state of zeros, [batch_size, state_size], or a pair of them."""
        if isinstance(self.state_size, tuple):
            return StatePair(
                *(tf1.zeros([batch_size, one], dtype) for one in self.state_size)
            )
        return tf1.zeros([batch_size, self.state_size], dtype)

    def __call__(self, inputs, state, scope=None):
        """Returns the output and the next state."""
        is_new = self._scope is None
        if is_new:
            name = (scope or self._name, None) if self._reuse else (scope, self._name)
            with tf1.variable_scope(*name) as self._scope:
                pass
        reuse = self._reuse if is_new else True
        with tf1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False):
            return self.call(tf1.convert_to_tensor(inputs), state)


class LSTMBlockCell(RecurrentCell):
    """An LSTM with the numbers of TensorFlow 1's ``LSTMBlockCell``.

    Args:
      num_units: the size of its state, an int.
      forget_bias: is added to the bias of the forget gate.
      cell_clip: the limit of the cell state's absolute values; None for no limit.
      use_peephole: whether the gates see the cell state.
      dtype: of the variables; None for that of the inputs.
      reuse: whether to use the existing variables of the scope.
      name: of the variable scope.
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        cell_clip=None,
        use_peephole=False,
        dtype=None,
        reuse=None,
        name="lstm_cell",
    ):
        super().__init__(name, StatePair(num_units, num_units), num_units, reuse)
        self._forget_bias, self._dtype = forget_bias, dtype
        self._cell_clip, self._has_peephole = cell_clip, use_peephole

    def call(self, inputs, state):
        cell, output = state
        units, dtype = self.output_size, self._dtype or inputs.dtype
        shape = [inputs.shape[-1] + units, 4 * units]
        kernel = tf1.get_variable("kernel", shape, dtype)
        bias = tf1.get_variable("bias", shape[1:], dtype, tf1.zeros_initializer())
        peepholes = [0.0, 0.0, 0.0]
        if self._has_peephole:
            names = "w_i_diag", "w_f_diag", "w_o_diag"
            peepholes = [tf1.get_variable(name, [units], dtype) for name in names]
        i, j, f, o = tf1.split(
            tf1.matmul(tf1.concat([inputs, output], 1), kernel) + bias, 4, 1
        )
        remembered = tf1.sigmoid(f + cell * peepholes[1] + self._forget_bias) * cell
        cell = remembered + tf1.sigmoid(i + cell * peepholes[0]) * tf1.tanh(j)
        if self._cell_clip is not None and self._cell_clip > 0:
            # The gradient of TensorFlow 1's operation ignores the limit.
            limited = tf1.clip_by_value(cell, -self._cell_clip, self._cell_clip)
            cell += tf1.stop_gradient(limited - cell)
        output = tf1.sigmoid(o + cell * peepholes[2]) * tf1.tanh(cell)
        return output, StatePair(cell, output)


class OutputProjectionWrapper(RecurrentCell):
    """A recurrent cell that projects the outputs of another one.

    Args:
      cell: the other cell.
      output_size: the size of the projected outputs, an int.
      activation: is applied to the projected outputs; None for none.
      reuse: whether to use the existing variables of the scope.
    """

    def __init__(self, cell, output_size, activation=None, reuse=None):
        name = "output_projection_wrapper"
        super().__init__(name, cell.state_size, output_size, reuse)
        self._cell, self._activation = cell, activation
        self.zero_state = cell.zero_state

    def call(self, inputs, state):
        output, state = self._cell(inputs, state)
        shape, dtype = [output.shape[-1], self.output_size], output.dtype
        kernel = tf1.get_variable("kernel", shape, dtype)
        bias = tf1.get_variable("bias", shape[1:], dtype, tf1.zeros_initializer())
        output = tf1.nn.bias_add(tf1.matmul(output, kernel), bias)
        return (self._activation(output) if self._activation else output), state
