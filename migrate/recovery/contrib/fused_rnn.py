"""The fused recurrent cells of ``tf.contrib.rnn``, with the same names of variables."""

import collections

import tensorflow.compat.v1 as tf1

_State = collections.namedtuple("LSTMStateTuple", ("c", "h"))


class LSTMBlockFusedCell:
    """An LSTM that computes all steps of a sequence in one operation.

    The first call makes the variables: ``kernel``, ``bias`` and, with peepholes,
    ``w_i_diag``, ``w_f_diag``, ``w_o_diag``.

    Args:
      num_units: the size of its state, an int.
      forget_bias: is added to the bias of the forget gate.
      cell_clip: the limit of the cell state's absolute values; None for no limit.
      use_peephole: whether the gates see the cell state.
      reuse: whether to use the existing variables of the scope.
      dtype: of the variables; None for that of the inputs.
      name: the variable scope, made unique for each cell.
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        cell_clip=None,
        use_peephole=False,
        reuse=None,
        dtype=None,
        name="lstm_fused_cell",
    ):
        self.num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self._use_peephole = use_peephole
        self._reuse, self._dtype, self._name = reuse, dtype, name
        self._scope = None

    def __call__(
        self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None
    ):
        """Returns the outputs, [time, batch, num_units], and the final (cell, output).

        Args:
          inputs: [time, batch, size], or a list of [batch, size]; of known size.
          initial_state: a pair of [batch, num_units]; None for zeros.
          dtype: of these zeros; needed if initial_state is None.
          sequence_length: [batch]; later outputs are zero. None for all steps.
          scope: the variable scope, in place of name.
        """
        is_list = isinstance(inputs, list)
        inputs = tf1.stack(inputs) if is_list else tf1.convert_to_tensor(inputs)
        steps, batch = tf1.unstack(tf1.shape(inputs)[:2])
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype is needed.")
            zeros = tf1.zeros([batch, self.num_units], dtype)
            initial_state = zeros, zeros
        cell, output = initial_state
        last = steps if sequence_length is None else tf1.reduce_max(sequence_length)
        variables = self._variables(inputs, scope)
        _, cells, _, _, _, _, outputs = tf1.raw_ops.BlockLSTM(
            seq_len_max=tf1.cast(last, tf1.int64),
            x=inputs,
            cs_prev=cell,
            h_prev=output,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
            **variables,
        )
        outputs.set_shape(inputs.shape[:2].concatenate(self.num_units))
        if sequence_length is None:
            final = cells[-1], outputs[-1]
        else:
            sequence_length = tf1.convert_to_tensor(sequence_length)
            inside = tf1.sequence_mask(sequence_length, steps, outputs.dtype)
            outputs *= tf1.expand_dims(tf1.transpose(inside), 2)
            # A sequence of length 0 ends with the initial state.
            ends = tf1.stack(
                [sequence_length, tf1.range(batch, dtype=sequence_length.dtype)], 1
            )
            final = tuple(
                tf1.gather_nd(tf1.concat([tf1.expand_dims(first, 0), others], 0), ends)
                for first, others in ((cell, cells), (output, outputs))
            )
        return (tf1.unstack(outputs) if is_list else outputs), _State(*final)

    def _variables(self, inputs, scope):
        is_new = self._scope is None
        reuse = self._reuse if is_new else True
        name = scope if is_new else self._scope
        with tf1.variable_scope(name, self._name, reuse=reuse) as self._scope:
            units, dtype = self.num_units, self._dtype or inputs.dtype.base_dtype
            size = inputs.shape.as_list()[2]
            variables = {
                "w": tf1.get_variable("kernel", [size + units, units * 4], dtype),
                "b": tf1.get_variable(
                    "bias", [units * 4], dtype, tf1.zeros_initializer()
                ),
            }
            gates = {"wci": "w_i_diag", "wcf": "w_f_diag", "wco": "w_o_diag"}
            for gate, name in gates.items():
                if self._use_peephole:
                    variables[gate] = tf1.get_variable(name, [units], dtype)
                else:
                    variables[gate] = tf1.zeros([units], dtype)
        return variables


class TimeReversedFusedRNN:
    """Runs a fused cell over reversed sequences.

    Args:
      cell: the fused cell.
    """

    def __init__(self, cell):
        self._cell = cell

    def __call__(
        self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None
    ):
        """Returns the outputs in the order of the inputs, and the cell's final state."""
        outputs, state = self._cell(
            self._reverse(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return self._reverse(outputs, sequence_length), state

    def _reverse(self, steps, lengths):
        if isinstance(steps, list):
            return steps[::-1]
        if lengths is None:
            return tf1.reverse(steps, [0])
        return tf1.reverse_sequence(steps, lengths, seq_axis=0, batch_axis=1)
