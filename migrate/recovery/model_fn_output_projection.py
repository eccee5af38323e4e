"""A cell with a linear map over its outputs, as ``tf.contrib.rnn`` had it."""

import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_linear_map import LinearMap


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
