"""Layers, initializers and regularizers of ``tf.contrib.layers``."""

import math

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def model_variable(
    name,
    shape=None,
    dtype=tf1.float32,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
):
    """Returns a variable that is in the collection MODEL_VARIABLES as well.

    Args:
      name, shape, dtype, initializer, regularizer, trainable: of ``get_variable``.
      collections: the names of further collections to put it into.
    """
    keys = tf1.GraphKeys
    every = [*(collections or ()), keys.GLOBAL_VARIABLES, keys.MODEL_VARIABLES]
    return tf1.get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        trainable,
        collections=list(dict.fromkeys(every)),
    )


def get_variable_collections(variables_collections, name):
    """Returns the collections of a layer's variable.

    Args:
      variables_collections: their names, or a dict of them by the variable's name.
      name: the variable's.
    """
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def collect_named_outputs(collections, alias, outputs):
    """Returns a layer's outputs, which are now in some collections.

    Args:
      collections: the names of collections, or None.
      alias: what the layer is called; nothing here reads it.
      outputs: a tensor.
    """
    if collections:
        tf1.add_to_collections(collections, outputs)
    return outputs


def variance_scaling_initializer(
    factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=tf1.float32
):
    """Returns an initializer that scales random numbers by the variable's shape.

    Args:
      factor: a float, by which the variance is multiplied.
      mode: the variance is divided by the number of inputs ("FAN_IN"), of outputs
        ("FAN_OUT") or by their mean ("FAN_AVG").
      uniform: numbers of a uniform distribution; else of a truncated normal one.
      seed: an int, or None.
      dtype: the floating point type where the variable names none.

    Raises:
      TypeError: another mode, or a dtype that is not floating.
    """
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"mode {mode!r} is none of FAN_IN, FAN_OUT, FAN_AVG.")
    if not dtype.is_floating:
        raise TypeError(f"{dtype} is no floating point type.")

    def initialize(shape, dtype=dtype, partition_info=None):
        sizes = [float(size) for size in shape] or [1.0]
        receptive = math.prod(sizes[:-2])
        inputs, outputs = sizes[-2:][0] * receptive, sizes[-1] * receptive
        mean = (inputs + outputs) / 2.0
        n = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": mean}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return tf1.random_uniform(shape, -limit, limit, dtype, seed=seed)
        stddev = math.sqrt(1.3 * factor / n)
        return tf1.truncated_normal(shape, 0.0, stddev, dtype, seed=seed)

    return initialize


def xavier_initializer(uniform=True, seed=None, dtype=tf1.float32):
    """Returns an initializer of Glorot and Bengio's; see for the arguments above."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


class Initializers:
    """The functions of ``tf.contrib.layers.python.layers.initializers``, by its names."""

    variance_scaling_initializer = staticmethod(variance_scaling_initializer)
    xavier_initializer = staticmethod(xavier_initializer)
    xavier_initializer_conv2d = staticmethod(xavier_initializer)


def l1_regularizer(scale, scope=None):
    """Returns a function that gives ``scale`` times the sum of absolute weights.

    Args:
      scale: a float, or a tensor; 0.0 regularizes nothing.
      scope: the name scope of its operations.
    """
    return _regularizer(scale, scope or "l1_regularizer", _sum_of_absolutes)


def l2_regularizer(scale, scope=None):
    """Returns a function that gives ``scale`` times half the sum of squared weights.

    Args:
      scale: a float, or a tensor; 0.0 regularizes nothing.
      scope: the name scope of its operations.
    """
    return _regularizer(scale, scope or "l2_regularizer", tf1.nn.l2_loss)


def _sum_of_absolutes(weights):
    return tf1.reduce_sum(tf1.abs(weights))


def _regularizer(scale, scope, penalty):
    if isinstance(scale, float) and scale == 0.0:
        return lambda _: None

    def regularize(weights):
        with tf1.name_scope(scope):
            return tf1.convert_to_tensor(scale, weights.dtype) * penalty(weights)

    return regularize


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
    """Returns the inputs times ``weights``, plus ``biases``, then activated.

    Args:
      inputs: a tensor whose last dimension is known, of rank 2 or more.
      num_outputs: the size of the last dimension of what is returned.
      activation_fn: takes the result; None for none.
      normalizer_fn: takes the place of the biases; None for none.
      normalizer_params: a dict of its further arguments.
      weights_initializer: None for the scope's.
      weights_regularizer, biases_regularizer: take a variable, return its loss.
      biases_initializer: None for no biases.
      reuse: whether to take the variables that the scope has.
      trainable: whether the variables are.
      scope: the variables' scope; "fully_connected" where it is None.
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
      decay: how much of the moving averages stays at each step.
      center, scale: whether to add ``beta``, and to multiply by ``gamma``.
      epsilon: is added to the variance.
      activation_fn: takes the result; None for none.
      updates_collections: where to put the updates of the moving averages; None for
        making them before the result.
      is_training: whether to take the batch's own mean and variance, and to update the
        moving ones; a bool, or a tensor of one.
      reuse: whether to take the variables that the scope has.
      trainable: whether beta and gamma are.
      scope: the variables' scope; "BatchNorm" where it is None.

    Raises:
      ValueError: the inputs are of another rank.
    """
    with tf1.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse):
        inputs = tf1.convert_to_tensor(inputs)
        if inputs.shape.rank not in (2, 4):
            raise ValueError(f"batch_norm takes tensors of rank 2 or 4: {inputs}.")
        zeros, ones = tf1.zeros_initializer(), tf1.ones_initializer()
        shape = inputs.shape.as_list()[-1:]
        dtype = tf1.float32 if inputs.dtype == tf1.float16 else inputs.dtype.base_dtype
        like = {"dtype": dtype, "trainable": trainable}
        beta, gamma = tf1.zeros(shape, dtype), tf1.ones(shape, dtype)
        if center:
            beta = _variable("beta", shape, zeros, **like)
        if scale:
            gamma = _variable("gamma", shape, ones, **like)
        like = {"dtype": dtype, "trainable": False}
        mean = _variable("moving_mean", shape, zeros, **like)
        variance = _variable("moving_variance", shape, ones, **like)
        flat = inputs.shape.rank == 2
        images = tf1.reshape(inputs, [-1, 1, 1, *shape]) if flat else inputs

        def by_batch():
            return tf1.nn.fused_batch_norm(images, gamma, beta, epsilon=epsilon)

        def by_averages():
            return tf1.nn.fused_batch_norm(
                images, gamma, beta, mean, variance, epsilon, is_training=False
            )

        outputs, new_mean, new_variance = _cond(is_training, by_batch, by_averages)

        def updated():
            return [
                tf1.assign_sub(mean, (mean - new_mean) * (1.0 - decay)),
                tf1.assign_sub(variance, (variance - new_variance) * (1.0 - decay)),
            ]

        if updates_collections is None:

            def after_updates():
                with tf1.control_dependencies(updated()):
                    return tf1.identity(outputs)

            outputs = _cond(is_training, after_updates, lambda: outputs)
        elif _may_be(is_training):
            kept = [tf1.identity(mean), tf1.identity(variance)]
            for update in _cond(is_training, updated, lambda: kept):
                tf1.add_to_collections(updates_collections, update)
        outputs = tf1.reshape(outputs, tf1.shape(inputs))
        outputs.set_shape(inputs.shape)
        return activation_fn(outputs) if activation_fn else outputs


def _variable(name, shape, initializer, regularizer=None, **like):
    """Returns a variable of the scope; what regularizes it is added once."""
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


def _may_be(condition):
    known = tf1.get_static_value(condition)
    return known is None or bool(known)


def _cond(condition, yes, no):
    """Calls one of two functions, as the graph is built where the choice is known."""
    known = tf1.get_static_value(condition)
    if known is None:
        return tf1.cond(condition, yes, no)
    return yes() if known else no()


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
      activation_fn: takes the result; None for none.
      reuse: whether to take the variables that the scope has.
      trainable: whether the variables are.
      begin_norm_axis: the first of the axes to normalize over.
      begin_params_axis: the first of the axes of ``beta`` and ``gamma``.
      scope: the variables' scope; "LayerNorm" where it is None.
    """
    with tf1.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse):
        shape = inputs.shape[begin_params_axis:]
        like = {"shape": shape, "dtype": inputs.dtype, "trainable": trainable}
        beta = gamma = None
        if center:
            zeros = tf1.zeros_initializer()
            beta = tf1.get_variable("beta", initializer=zeros, **like)
        if scale:
            ones = tf1.ones_initializer()
            gamma = tf1.get_variable("gamma", initializer=ones, **like)
        axes = list(range(inputs.shape.rank))[begin_norm_axis:]
        mean, variance = tf1.nn.moments(inputs, axes, keep_dims=True)
        epsilon = 1e-3 if inputs.dtype == tf1.float16 else 1e-12
        outputs = tf1.nn.batch_normalization(
            inputs, mean, variance, beta, gamma, epsilon
        )
        outputs.set_shape(inputs.shape)
        return activation_fn(outputs) if activation_fn else outputs


def embed_sequence(
    ids,
    vocab_size=None,
    embed_dim=None,
    unique=False,
    initializer=None,
    regularizer=None,
    trainable=True,
    scope=None,
    reuse=None,
):
    """Returns the embeddings of ids, [batch, length, embed_dim].

    Args:
      ids: integers, [batch, length].
      vocab_size, embed_dim: the shape of the table; needed where it is not reused.
      unique: whether each id is looked up once.
      initializer, regularizer, trainable: of the table, a variable ``embeddings``.
      scope: the variable scope, ``EmbedSequence`` by default.
      reuse: whether the scope's table is used.

    Raises:
      ValueError: the shape is missing.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(f"Give vocab_size and embed_dim: {vocab_size}, {embed_dim}.")
    with tf1.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        whole = embed_dim is not None and not (reuse and vocab_size is None)
        shape = [vocab_size, embed_dim] if whole else None
        table = model_variable(
            "embeddings", shape, None, initializer, regularizer, trainable
        )
        if not unique:
            return tf.nn.embedding_lookup(table, ids)
        found, places = tf.unique(tf.reshape(ids, [-1]))
        rows = tf.gather(tf.nn.embedding_lookup(table, found), places)
        shape = tf.concat([tf.shape(ids), tf.shape(rows)[-1:]], 0)
        embedded = tf.reshape(rows, shape)
        embedded.set_shape(ids.shape.concatenate(rows.shape[-1:]))
        return embedded
