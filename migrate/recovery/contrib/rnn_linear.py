"""Linear maps of ``tf.contrib.rnn``."""

import tensorflow.compat.v1 as tf1


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
