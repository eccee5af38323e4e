"""Layer normalization of ``tf.contrib.layers``."""

import tensorflow.compat.v1 as tf1


def layer_norm(
    inputs,
    center=True,
    scale=True,
    activation_fn=None,
    reuse=None,
    trainable=True,
    begin_norm_axis=1,
    begin_params_axis=-1,
    scope=None,
):
    """Returns the inputs with mean 0 and variance 1, times ``gamma``, plus ``beta``.

    Args:
      inputs: a tensor of known rank.
      center, scale: whether to add ``beta``, and to multiply by ``gamma``.
      activation_fn: a function of a tensor; None for none.
      reuse: whether to use the existing variables of the scope.
      trainable: whether the variables are trainable.
      begin_norm_axis: the first axis to normalize over, an int.
      begin_params_axis: the first axis of ``beta`` and ``gamma``, an int.
      scope: the variable scope; None for "LayerNorm".
    """
    with tf1.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse):
        shape = inputs.shape[begin_params_axis:]
        settings = {"shape": shape, "dtype": inputs.dtype, "trainable": trainable}
        beta = gamma = None
        if center:
            zeros = tf1.zeros_initializer()
            beta = tf1.get_variable("beta", initializer=zeros, **settings)
        if scale:
            ones = tf1.ones_initializer()
            gamma = tf1.get_variable("gamma", initializer=ones, **settings)
        axes = list(range(inputs.shape.rank))[begin_norm_axis:]
        mean, variance = tf1.nn.moments(inputs, axes, keep_dims=True)
        small = 1e-3 if inputs.dtype == tf1.float16 else 1e-12
        outputs = tf1.nn.batch_normalization(inputs, mean, variance, beta, gamma, small)
        outputs.set_shape(inputs.shape)
        return activation_fn(outputs) if activation_fn else outputs
