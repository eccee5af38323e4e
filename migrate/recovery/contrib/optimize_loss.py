"""Makes a training step, as ``tf.contrib.layers.optimize_loss`` did."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

_BY_NAME = {
    "Adagrad": tf1.train.AdagradOptimizer,
    "Adam": tf1.train.AdamOptimizer,
    "Ftrl": tf1.train.FtrlOptimizer,
    "Momentum": lambda learning_rate: tf1.train.MomentumOptimizer(learning_rate, 0.9),
    "RMSProp": tf1.train.RMSPropOptimizer,
    "SGD": tf1.train.GradientDescentOptimizer,
}


def optimize_loss(
    loss,
    global_step,
    learning_rate,
    optimizer,
    clip_gradients=None,
    learning_rate_decay_fn=None,
    update_ops=None,
    variables=None,
    name=None,
    summaries=("loss", "learning_rate", "global_gradient_norm"),
    colocate_gradients_with_ops=False,
    increment_global_step=True,
):
    """Returns the loss, a tensor; running it takes a training step.

    Args:
      loss: a scalar tensor.
      global_step: the variable that counts the steps; None for the graph's own.
      learning_rate: a float, which becomes a variable; a tensor; or None.
      optimizer: a name, a ``tf.compat.v1.train.Optimizer``, its class, or a function that
        takes the learning rate, if there is one, and returns an optimizer.
      clip_gradients: the largest global norm, a float; or a function from a list of
        (gradient, variable) to such a list; None for no clipping.
      learning_rate_decay_fn: takes the learning rate and the step, returns the rate.
      update_ops: operations to run before the loss; None for the graph's ``UPDATE_OPS``.
      variables: those to train, a list; None for all.
      name: the variable scope; None for "OptimizeLoss".
      summaries: a list of "learning_rate", "loss", "gradients", "gradient_norm" and
        "global_gradient_norm"; None for the default.
      colocate_gradients_with_ops: as for ``Optimizer.compute_gradients``.
      increment_global_step: whether to increment global_step.

    Raises:
      ValueError: the learning rate or the optimizer is none of these.
    """
    if summaries is None:
        summaries = ("loss", "learning_rate", "global_gradient_norm")
    loss = tf.convert_to_tensor(loss)
    global_step = tf1.train.get_global_step() if global_step is None else global_step
    with tf1.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if update_ops is None:
            update_ops = tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
        with tf.control_dependencies(list(update_ops)):
            loss = tf.identity(loss)
        rate = _learning_rate(learning_rate)
        if learning_rate_decay_fn is not None and rate is not None:
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in summaries:
                tf1.summary.scalar("learning_rate", rate)
        made = optimizer_of(optimizer, rate)
        gradients = made.compute_gradients(
            loss, variables, colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        gradients = _clip_and_summarize(loss, gradients, clip_gradients, summaries)
        counter = global_step if increment_global_step else None
        step = made.apply_gradients(gradients, global_step=counter, name="train")
        with tf.control_dependencies([step]):
            return tf.identity(loss)


def _learning_rate(learning_rate):
    if learning_rate is None or tf.is_tensor(learning_rate):
        return learning_rate
    if not isinstance(learning_rate, float) or learning_rate < 0.0:
        raise ValueError(f"Not a learning rate: {learning_rate!r}.")
    constant = tf1.constant_initializer(learning_rate)
    return tf1.get_variable("learning_rate", [], trainable=False, initializer=constant)


def optimizer_of(optimizer, rate):
    """Returns the ``tf.compat.v1.train.Optimizer`` for ``optimize_loss``'s argument.

    Args:
      optimizer: as for ``optimize_loss``.
      rate: the learning rate, or None.

    Raises:
      ValueError: optimizer is none of the kinds that ``optimize_loss`` names.
    """
    if isinstance(optimizer, str):
        optimizer = _BY_NAME.get(optimizer)
    if callable(optimizer):
        optimizer = optimizer() if rate is None else optimizer(rate)
    if not isinstance(optimizer, tf1.train.Optimizer):
        raise ValueError(f"Not an optimizer: {optimizer!r}.")
    return optimizer


def _clip_and_summarize(loss, gradients, clip, summaries):
    """Returns the clipped gradients; adds summaries of them before and after clipping."""
    has_norm = "global_gradient_norm" in summaries or "gradient_norm" in summaries
    if has_norm:
        _summarize_norm("global_norm/gradient_norm", gradients)
    if "loss" in summaries:
        tf1.summary.scalar("loss", loss)
    if callable(clip):
        gradients = clip(gradients)
    elif clip is not None:
        values, variables = zip(*gradients)
        gradients = list(zip(tf.clip_by_global_norm(values, clip)[0], variables))
    for gradient, variable in gradients:
        _summarize(gradient, variable.name.replace(":", "_"), summaries)
    if has_norm and clip is not None:
        _summarize_norm("global_norm/clipped_gradient_norm", gradients)
    return gradients


def _summarize_norm(name, gradients):
    tf1.summary.scalar(name, tf.linalg.global_norm([value for value, _ in gradients]))


def _summarize(gradient, name, summaries):
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    if values is None:
        return
    if "gradients" in summaries:
        tf1.summary.histogram(f"gradients/{name}", values)
    if "gradient_norm" in summaries:
        tf1.summary.scalar(f"gradient_norm/{name}", tf.linalg.global_norm([values]))
