"""Layers of ``tf.contrib.layers``."""

import tensorflow.compat.v1 as tf1


def fully_connected(
    inputs,
    num_outputs,
    activation_fn=tf1.nn.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=tf1.glorot_uniform_initializer,
    weights_regularizer=None,
    biases_initializer=tf1.zeros_initializer,
    biases_regularizer=None,
    reuse=None,
    trainable=True,
    scope=None,
):
    """Returns ``activation_fn(inputs * weights + biases)``, a dense layer's outputs.

    Args:
      inputs: a tensor of rank 2 or more, whose last dimension is known.
      num_outputs: the size of the outputs' last dimension, an int.
      activation_fn: a function of a tensor; None for none.
      normalizer_fn: is called in place of adding biases; None for biases.
      normalizer_params: a dict of its further arguments, or None.
      weights_initializer: None for the default of the variable scope.
      weights_regularizer, biases_regularizer: take a variable, return its loss.
      biases_initializer: None for no biases.
      reuse: whether to use the existing variables of the scope.
      trainable: whether the variables are trainable.
      scope: the variable scope; None for "fully_connected".
    """
    with tf1.variable_scope(scope, "fully_connected", [inputs], reuse=reuse):
        inputs = tf1.convert_to_tensor(inputs)
        like = {"dtype": inputs.dtype.base_dtype, "trainable": trainable}
        weights = _variable(
            "weights",
            [inputs.shape.as_list()[-1], num_outputs],
            weights_initializer,
            weights_regularizer,
            **like,
        )
        if inputs.shape.rank > 2:
            outputs = tf1.tensordot(inputs, weights, [[inputs.shape.rank - 1], [0]])
        else:
            outputs = tf1.matmul(inputs, weights)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        elif biases_initializer is not None:
            biases = _variable(
                "biases", [num_outputs], biases_initializer, biases_regularizer, **like
            )
            outputs = tf1.nn.bias_add(outputs, biases)
        return activation_fn(outputs) if activation_fn else outputs


def batch_norm(
    inputs,
    decay=0.999,
    center=True,
    scale=False,
    epsilon=0.001,
    activation_fn=None,
    updates_collections=tf1.GraphKeys.UPDATE_OPS,
    is_training=True,
    reuse=None,
    trainable=True,
    scope=None,
):
    """Returns the inputs with mean 0 and variance 1 over all axes but the last.

    Args:
      inputs: a tensor of rank 2, or 4, whose last dimension is known.
      decay: of the moving averages, a float in [0, 1].
      center, scale: whether to add ``beta``, and to multiply by ``gamma``.
      epsilon: a float that is added to the variance.
      activation_fn: a function of a tensor; None for none.
      updates_collections: a collection for the updates of the moving averages; None
        runs them before the outputs.
      is_training: whether to use the mean and variance of the batch, and to update the
        moving averages; a bool, or a bool tensor.
      reuse: whether to use the existing variables of the scope.
      trainable: whether beta and gamma are trainable.
      scope: the variable scope; None for "BatchNorm".

    Raises:
      ValueError: the inputs have another rank.
    """
    with tf1.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse):
        inputs = tf1.convert_to_tensor(inputs)
        if inputs.shape.rank not in (2, 4):
            raise ValueError(f"batch_norm takes tensors of rank 2 or 4: {inputs}.")
        shape = inputs.shape.as_list()[-1:]
        dtype = tf1.float32 if inputs.dtype == tf1.float16 else inputs.dtype.base_dtype
        beta, gamma = _beta_and_gamma(shape, dtype, center, scale, trainable)
        like = {"dtype": dtype, "trainable": False}
        mean = _variable("moving_mean", shape, tf1.zeros_initializer(), **like)
        variance = _variable("moving_variance", shape, tf1.ones_initializer(), **like)
        is_flat = inputs.shape.rank == 2
        images = tf1.reshape(inputs, [-1, 1, 1, *shape]) if is_flat else inputs

        def train_norm():
            return tf1.nn.fused_batch_norm(images, gamma, beta, epsilon=epsilon)

        def infer_norm():
            return tf1.nn.fused_batch_norm(
                images, gamma, beta, mean, variance, epsilon, is_training=False
            )

        outputs, new_mean, new_variance = _cond(is_training, train_norm, infer_norm)
        moving = [(mean, new_mean), (variance, new_variance)]
        outputs = _update(outputs, moving, decay, is_training, updates_collections)
        outputs = tf1.reshape(outputs, tf1.shape(inputs))
        outputs.set_shape(inputs.shape)
        return activation_fn(outputs) if activation_fn else outputs


def _beta_and_gamma(shape, dtype, center, scale, trainable):
    """Returns beta and gamma, variables, or zeros and ones where they are not wanted."""
    beta, gamma = tf1.zeros(shape, dtype), tf1.ones(shape, dtype)
    like = {"dtype": dtype, "trainable": trainable}
    if center:
        beta = _variable("beta", shape, tf1.zeros_initializer(), **like)
    if scale:
        gamma = _variable("gamma", shape, tf1.ones_initializer(), **like)
    return beta, gamma


def _update(outputs, moving, decay, is_training, collections):
    """Returns the outputs; runs the updates before them or adds them to collections."""

    def update_averages():
        return [tf1.assign_sub(old, (old - new) * (1.0 - decay)) for old, new in moving]

    def after_updates():
        with tf1.control_dependencies(update_averages()):
            return tf1.identity(outputs)

    if collections is None:
        return _cond(is_training, after_updates, lambda: outputs)
    known = tf1.get_static_value(is_training)
    if known is None or known:
        unchanged = [tf1.identity(old) for old, _ in moving]
        for update in _cond(is_training, update_averages, lambda: unchanged):
            tf1.add_to_collections(collections, update)
    return outputs


def _variable(name, shape, initializer, regularizer=None, **like):
    """Returns a variable of the scope; adds its regularization loss if it is new."""
    before = set(map(id, tf1.global_variables()))
    collections = [tf1.GraphKeys.GLOBAL_VARIABLES, tf1.GraphKeys.MODEL_VARIABLES]
    variable = tf1.get_variable(
        name, shape, initializer=initializer, collections=collections, **like
    )
    if regularizer is not None and id(variable) not in before:
        loss = regularizer(variable)
        if loss is not None:
            tf1.add_to_collection(tf1.GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _cond(condition, yes, no):
    """Returns ``tf.cond``; calls one function directly if the condition is constant."""
    known = tf1.get_static_value(condition)
    if known is None:
        return tf1.cond(condition, yes, no)
    return yes() if known else no()
