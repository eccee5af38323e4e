"""Cells of ``tf.contrib.rnn``."""

import collections

import tensorflow.compat.v1 as tf1

from .rnn_linear import LinearMap

StatePair = collections.namedtuple("LSTMStateTuple", ("c", "h"))


class RecurrentCell:
    """A recurrent cell, whose variables are in a scope of its own.

    Args:
      name: the scope.
      state_size: the size of the state, or a pair of sizes.
      output_size: the size of the outputs.
      reuse: whether to take the variables that the scope has.
    """

    def __init__(self, name, state_size, output_size, reuse):
        self.state_size, self.output_size = state_size, output_size
        self._name, self._reuse, self._scope = name, reuse, None

    def zero_state(self, batch_size, dtype):
        """Returns the state before the first step."""
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


class NASCell(RecurrentCell):
    """The cell that a search for architectures found.

    Args:
      num_units: the size of its state.
      num_proj: the size of its outputs; None for num_units.
      use_bias: whether there is a ``bias``.
      reuse: whether to take the variables that the scope has.
      name: the scope.
    """

    def __init__(
        self, num_units, num_proj=None, use_bias=False, reuse=None, name="nas_cell"
    ):
        size = num_units if num_proj is None else num_proj
        super().__init__(name, StatePair(num_units, size), size, reuse)
        self._has_projection, self._has_bias = num_proj is not None, use_bias

    def call(self, inputs, state):
        cell, output = state
        units, dtype, size = self.state_size.c, inputs.dtype, inputs.shape[-1]
        shape = [self.output_size, 8 * units]
        recurrent = tf1.get_variable("recurrent_kernel", shape, dtype)
        kernel = tf1.get_variable("kernel", [size, 8 * units], dtype)
        outputs = tf1.matmul(output, recurrent)
        if self._has_bias:
            zeros = tf1.zeros_initializer()
            bias = tf1.get_variable("bias", [8 * units], dtype, zeros)
            outputs = tf1.nn.bias_add(outputs, bias)
        m, x = tf1.split(outputs, 8, 1), tf1.split(tf1.matmul(inputs, kernel), 8, 1)
        sigmoid, tanh, relu = tf1.sigmoid, tf1.tanh, tf1.nn.relu
        first = tanh(sigmoid(x[0] + m[0]) * relu(x[1] + m[1]))
        second = tanh(sigmoid(x[2] + m[2]) + relu(x[3] * m[3]))
        third = tanh(tanh(x[4] + m[4]) * sigmoid(x[5] + m[5]))
        fourth = sigmoid(tanh(x[6] + m[6]) + sigmoid(x[7] + m[7]))
        cell = tanh(first + cell) * second
        output = tanh(cell * tanh(third + fourth))
        if self._has_projection:
            shape = [units, self.output_size]
            projection = tf1.get_variable("projection_weights", shape, dtype)
            output = tf1.matmul(output, projection)
        return output, StatePair(cell, output)


class UGRNNCell(RecurrentCell):
    """A cell with one gate, between what it keeps and what it computes.

    Args:
      num_units: the size of its state.
      initializer: of the ``kernel``; None for the scope's own.
      forget_bias: added to the gate.
      activation: of what it computes.
      reuse: whether to take the variables that the scope has.
    """

    def __init__(
        self,
        num_units,
        initializer=None,
        forget_bias=1.0,
        activation=tf1.tanh,
        reuse=None,
    ):
        super().__init__("ugrnn_cell", num_units, num_units, reuse)
        self._initializer, self._activation = initializer, activation
        self._forget_bias = forget_bias

    def call(self, inputs, state):
        with tf1.variable_scope(
            tf1.get_variable_scope(), initializer=self._initializer
        ):
            joined = tf1.concat([inputs, state], 1)
            gates = LinearMap(joined, 2 * self.output_size, True)(joined)
        gate, computed = tf1.split(gates, 2, 1)
        gate = tf1.sigmoid(gate + self._forget_bias)
        state = gate * state + (1.0 - gate) * self._activation(computed)
        return state, state


class LSTMBlockCell(RecurrentCell):
    """An LSTM, which TensorFlow 1 computed in one operation.

    Args:
      num_units: the size of its state.
      forget_bias: added to the forget gate.
      cell_clip: the most that a cell's state becomes; None for no limit.
      use_peephole: whether the gates see the cell's state.
      dtype: of the variables; None for that of the inputs.
      reuse: whether to take the variables that the scope has.
      name: the scope.
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
        kept = tf1.sigmoid(f + cell * peepholes[1] + self._forget_bias) * cell
        cell = kept + tf1.sigmoid(i + cell * peepholes[0]) * tf1.tanh(j)
        if self._cell_clip is not None and self._cell_clip > 0:
            # The operation's gradient knows nothing of the limit.
            limited = tf1.clip_by_value(cell, -self._cell_clip, self._cell_clip)
            cell += tf1.stop_gradient(limited - cell)
        output = tf1.sigmoid(o + cell * peepholes[2]) * tf1.tanh(cell)
        return output, StatePair(cell, output)


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The LSTM whose variables are those of cuDNN's.

    Args:
      num_units: the size of its state.
      reuse: whether to take the variables that the scope has.
    """

    def __init__(self, num_units, reuse=None):
        name = "cudnn_compatible_lstm_cell"
        super().__init__(num_units, forget_bias=0, reuse=reuse, name=name)


class GRUBlockCellV2(RecurrentCell):
    """A GRU, which TensorFlow 1 computed in one operation.

    Args:
      num_units, cell_size: the size of its state, by one of the two names.
      reuse: whether to take the variables that the scope has.
      name: the scope.
    """

    _NAMES = "gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias"

    def __init__(self, num_units=None, cell_size=None, reuse=None, name="gru_cell"):
        if (cell_size is None) == (num_units is None):
            raise ValueError("Give one of num_units and cell_size.")
        size = cell_size if num_units is None else num_units
        super().__init__(name, size, size, reuse)

    def call(self, inputs, state):
        units, size = self.output_size, inputs.shape[-1] + self.output_size
        shapes = [size, 2 * units], [2 * units], [size, units], [units]
        starts = None, tf1.ones_initializer(), None, tf1.zeros_initializer()
        kernel, bias, candidate, candidate_bias = (
            tf1.get_variable(name, shape, inputs.dtype, start)
            for name, shape, start in zip(self._NAMES, shapes, starts)
        )
        gates = tf1.matmul(tf1.concat([inputs, state], 1), kernel) + bias
        reset, update = tf1.split(tf1.sigmoid(gates), 2, 1)
        joined = tf1.concat([inputs, reset * state], 1)
        computed = tf1.tanh(tf1.matmul(joined, candidate) + candidate_bias)
        state = update * state + (1 - update) * computed
        return state, state


class GRUBlockCell(GRUBlockCellV2):
    """As ``GRUBlockCellV2``, with other names of its variables."""

    _NAMES = "w_ru", "b_ru", "w_c", "b_c"
