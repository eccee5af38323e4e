"""Cells of ``tf.contrib.rnn``, and stacks of them."""

import collections

import tensorflow.compat.v1 as tf1

from .contrib_layers import layer_norm


class LinearMap:
    """Multiplies tensors by ``kernel`` and adds ``bias``, variables of the scope.

    Args:
      args: a tensor [batch, values], or a list of them, which tell the sizes.
      output_size: the size of the last dimension of what is returned.
      build_bias: whether there is a bias.
      bias_initializer, kernel_initializer: None for zeros, and for the scope's own.

    Raises:
      ValueError: a tensor is of another rank, or its values are not known.
    """

    def __init__(
        self,
        args,
        output_size,
        build_bias,
        bias_initializer=None,
        kernel_initializer=None,
    ):
        self._is_list = isinstance(args, (list, tuple))
        self._build_bias = build_bias
        args = args if self._is_list else [args]
        sizes = [one.shape.as_list() for one in args]
        if any(len(size) != 2 or size[1] is None for size in sizes):
            raise ValueError(f"Tensors [batch, values] are needed: {args}.")
        shape, dtype = [sum(size[1] for size in sizes), output_size], args[0].dtype
        scope = tf1.get_variable_scope()
        with tf1.variable_scope(scope) as outer:
            self._weights = tf1.get_variable("kernel", shape, dtype, kernel_initializer)
            if build_bias:
                with tf1.variable_scope(outer) as inner:
                    inner.set_partitioner(None)
                    start = bias_initializer or tf1.zeros_initializer(dtype)
                    self._bias = tf1.get_variable("bias", [output_size], dtype, start)

    def __call__(self, args):
        args = args if self._is_list else [args]
        joined = args[0] if len(args) == 1 else tf1.concat(args, 1)
        result = tf1.matmul(joined, self._weights)
        return tf1.nn.bias_add(result, self._bias) if self._build_bias else result


_Pair = collections.namedtuple("LSTMStateTuple", ("c", "h"))


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
            return _Pair(
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
        size = _Pair(num_units, num_units)
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
        return output, _Pair(cell, output)

    def _norm(self, values, scope):
        if not self._is_normed:
            return values
        with tf1.variable_scope(scope):
            for name, start in (("gamma", self._gain), ("beta", self._shift)):
                start = tf1.constant_initializer(start)
                tf1.get_variable(name, values.shape[-1:], values.dtype, start)
        return layer_norm(values, reuse=True, scope=scope)


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
        super().__init__(name, _Pair(num_units, size), size, reuse)
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
        return output, _Pair(cell, output)


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
        super().__init__(name, _Pair(num_units, num_units), num_units, reuse)
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
        return output, _Pair(cell, output)


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


def stack_bidirectional_dynamic_rnn(
    cells_fw,
    cells_bw,
    inputs,
    initial_states_fw=None,
    initial_states_bw=None,
    dtype=None,
    sequence_length=None,
    parallel_iterations=None,
    time_major=False,
    scope=None,
    swap_memory=False,
):
    """Runs layers in both directions, each over the joined outputs of the one below.

    Args:
      cells_fw, cells_bw: lists of a cell for each layer.
      inputs: [batch, time, size], or [time, batch, size] if time_major.
      initial_states_fw, initial_states_bw: lists of a state for each layer; None for zeros.
      scope: the variables' scope; "stack_bidirectional_rnn" where it is None.
      dtype, sequence_length, parallel_iterations, time_major, swap_memory: as in
        ``tf.compat.v1.nn.bidirectional_dynamic_rnn``.

    Returns:
      The outputs of the last layer, and the tuples of all final states.
    """
    lists = (
        cells_fw,
        cells_bw,
        initial_states_fw or cells_fw,
        initial_states_bw or cells_bw,
    )
    if not all(
        isinstance(one, list) and len(one) == len(cells_fw) > 0 for one in lists
    ):
        raise ValueError("Lists of one length are needed: cells and initial states.")
    states = []
    with tf1.variable_scope(scope or "stack_bidirectional_rnn"):
        for layer, cells in enumerate(zip(cells_fw, cells_bw)):
            with tf1.variable_scope(f"cell_{layer}"):
                outputs, state = tf1.nn.bidirectional_dynamic_rnn(
                    *cells,
                    inputs,
                    initial_state_fw=(initial_states_fw or {layer: None})[layer],
                    initial_state_bw=(initial_states_bw or {layer: None})[layer],
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                    swap_memory=swap_memory,
                    time_major=time_major,
                )
                inputs = tf1.concat(outputs, 2)
            states.append(state)
    return (inputs, *zip(*states))


def transpose_batch_time(x):
    """Returns a tensor of two dimensions or more with its first two exchanged."""
    x = tf1.convert_to_tensor(x)
    if x.shape.rank is not None and x.shape.rank < 2:
        raise ValueError(f"Two dimensions are needed: {x}.")
    turned = tf1.transpose(x, tf1.concat([[1, 0], tf1.range(2, tf1.rank(x))], 0))
    if x.shape.rank is not None:
        turned.set_shape([x.shape[1], x.shape[0], *x.shape[2:]])
    return turned


class OutputProjectionWrapper:
    """A recurrent cell whose outputs are of another size.

    Its variables are ``kernel`` and ``bias`` of the scope "output_projection_wrapper".

    Args:
      cell: the cell within.
      output_size: the size of the outputs.
      activation: a function of them; None for none.
      reuse: whether to take the variables that the scope has.
    """

    def __init__(self, cell, output_size, activation=None, reuse=None):
        self._cell, self.output_size = cell, output_size
        self._activation, self._reuse = activation, reuse
        self._scope = self._linear = None

    @property
    def state_size(self):
        return self._cell.state_size

    def zero_state(self, batch_size, dtype):
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        """Returns the output and the next state."""
        if self._scope is None:
            with tf1.variable_scope(scope, "output_projection_wrapper") as self._scope:
                pass
        reuse = self._reuse if self._linear is None else True
        with tf1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False):
            output, state = self._cell(inputs, state)
            if self._linear is None:
                self._linear = LinearMap(output, self.output_size, True)
            output = self._linear(output)
        return (self._activation(output) if self._activation else output), state


def select_last_activations(activations, sequence_lengths):
    """Returns the activations at the last step of each sequence, [batch_size, k].

    Args:
      activations: floats of the shape [batch_size, padded_length, k].
      sequence_lengths: integers of the shape [batch_size]; None where all are padded_length.
    """
    with tf1.name_scope(
        "select_last_activations", values=[activations, sequence_lengths]
    ):
        batch_size, padded_length, size = tf1.unstack(tf1.shape(activations))
        if sequence_lengths is None:
            sequence_lengths = padded_length
        places = tf1.range(batch_size) * padded_length + sequence_lengths - 1
        found = tf1.gather(tf1.reshape(activations, [-1, size]), places)
        found.set_shape([activations.shape[0], activations.shape[2]])
        return found
