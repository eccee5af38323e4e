"""The linear map of recurrent cells, which ``tf.contrib.rnn`` kept for itself."""

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
