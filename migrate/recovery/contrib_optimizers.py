"""Optimizers and their wrappers of ``tf.contrib``."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


class WrappedOptimizer(tf1.train.Optimizer):
    """A ``tf.compat.v1.train.Optimizer`` over another, whose slots it shows.

    Args:
      optimizer: the other, or a function that makes it in the graph that is used.
      name: of this one.
    """

    def __init__(self, optimizer, name):
        super().__init__(use_locking=False, name=name)
        self._given = optimizer

    @property
    def _optimizer(self):
        if callable(self._given):
            self._given = self._given()
        return self._given

    def compute_gradients(self, *args, **options):
        """Returns the other's gradients and variables."""
        return self._optimizer.compute_gradients(*args, **options)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Returns the other's operation."""
        return self._optimizer.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, *args, **options):
        """Returns the other's slot."""
        return self._optimizer.get_slot(*args, **options)

    def get_slot_names(self, *args, **options):
        """Returns the names of the other's slots."""
        return self._optimizer.get_slot_names(*args, **options)

    def variables(self):
        """Returns the other's variables."""
        return self._optimizer.variables()


def clip_gradients_by_norm(optimizer, clip_norm):
    """Returns an optimizer that clips the gradients together, then takes the other's step.

    Args:
      optimizer: a ``tf.compat.v1.train.Optimizer``.
      clip_norm: the largest norm of all gradients together, above 0.
    """
    return _Clipping(optimizer, clip_norm)


class _Clipping(WrappedOptimizer):
    def __init__(self, optimizer, clip_norm):
        super().__init__(optimizer, "ClipByNorm" + optimizer.get_name())
        self._clip_norm = clip_norm

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        gradients, variables = zip(*grads_and_vars)
        clipped, _ = tf.clip_by_global_norm(gradients, self._clip_norm)
        return super().apply_gradients(list(zip(clipped, variables)), global_step, name)


class LazyAdamOptimizer(tf1.train.AdamOptimizer):
    """Adam that, for sparse gradients, changes the moments of their rows alone.

    The arguments are those of ``AdamOptimizer``.
    """

    def _apply_sparse(self, grad, var):
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad, var, indices):
        beta1_power, beta2_power = self._get_beta_accumulators()
        given = [self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t]
        given += [beta1_power, beta2_power]
        like = var.dtype.base_dtype
        rate, beta1, beta2, epsilon, power1, power2 = (tf.cast(v, like) for v in given)
        rate = rate * tf.sqrt(1 - power2) / (1 - power1)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        new_v = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        change = rate * new_m / (tf.sqrt(new_v) + epsilon)
        return tf.group(
            tf1.scatter_sub(var, indices, change, self._use_locking),
            tf1.scatter_update(m, indices, new_m, self._use_locking),
            tf1.scatter_update(v, indices, new_v, self._use_locking),
        )


def extend_with_decoupled_weight_decay(base_optimizer):
    """Returns a class of optimizers that first take a share off each variable.

    Its constructor takes that share as ``weight_decay``, before the others' arguments.

    Args:
      base_optimizer: a class that derives from ``tf.compat.v1.train.Optimizer``.
    """

    class OptimizerWithDecoupledWeightDecay(_Decays, base_optimizer):
        pass

    return OptimizerWithDecoupledWeightDecay


class _Decays:
    def __init__(self, weight_decay, *args, **options):
        self._weight_decay, self._decayed = weight_decay, None
        super().__init__(*args, **options)

    def minimize(self, *args, decay_var_list=None, **options):
        """Decays every variable: in TensorFlow 1.15 decay_var_list had no effect here."""
        return super().minimize(*args, **options)

    def apply_gradients(
        self, grads_and_vars, global_step=None, name=None, decay_var_list=None
    ):
        """Decays the variables of ``decay_var_list``; where it is None, every one."""
        decayed = decay_var_list
        self._decayed = {variable.ref() for variable in decayed} if decayed else None
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _apply_dense(self, grad, var):
        with tf.control_dependencies([self._decay(var)]):
            return super()._apply_dense(grad, var)

    def _resource_apply_dense(self, grad, var):
        with tf.control_dependencies([self._decay(var)]):
            return super()._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        with tf.control_dependencies([self._decay_some(var, grad.indices)]):
            return super()._apply_sparse(grad, var)

    def _resource_apply_sparse(self, grad, var, indices):
        with tf.control_dependencies([self._decay_some(var, indices)]):
            return super()._resource_apply_sparse(grad, var, indices)

    def _decay(self, var):
        if not self._is_decayed(var):
            return tf.no_op()
        return tf1.assign_sub(var, self._share() * var, self._use_locking)

    def _decay_some(self, var, indices):
        if not self._is_decayed(var):
            return tf.no_op()
        share = self._share() * tf.gather(var, indices)
        return tf1.scatter_sub(var, indices, share, self._use_locking)

    def _is_decayed(self, var):
        return self._decayed is None or var.ref() in self._decayed

    def _share(self):
        share = self._weight_decay
        return share() if callable(share) else share


class AdamWOptimizer(_Decays, tf1.train.AdamOptimizer):
    """Adam with decoupled weight decay.

    Args:
      weight_decay: the share that each step takes off a variable.
      learning_rate, beta1, beta2, epsilon, use_locking, name: of ``AdamOptimizer``.
    """

    def __init__(
        self,
        weight_decay,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        use_locking=False,
        name="AdamW",
    ):
        super().__init__(
            weight_decay, learning_rate, beta1, beta2, epsilon, use_locking, name
        )


class MomentumWOptimizer(_Decays, tf1.train.MomentumOptimizer):
    """Momentum with decoupled weight decay.

    Args:
      weight_decay: the share that each step takes off a variable.
      learning_rate, momentum, use_locking, name, use_nesterov: of
        ``MomentumOptimizer``.
    """

    def __init__(
        self,
        weight_decay,
        learning_rate,
        momentum,
        use_locking=False,
        name="MomentumW",
        use_nesterov=False,
    ):
        super().__init__(
            weight_decay, learning_rate, momentum, use_locking, name, use_nesterov
        )


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
    """Returns a tensor, the loss, whose computation takes a step of training.

    Args:
      loss: a tensor with one value.
      global_step: the variable that counts the steps; None for the graph's own.
      learning_rate: a float, which becomes a variable; a tensor; or None.
      optimizer: the name of one, a ``tf.compat.v1.train.Optimizer``, its class, or a
        function that takes the learning rate, if there is one, and returns it.
      clip_gradients: the largest global norm, a float; or a function from a list of
        (gradient, variable) to such a list.
      learning_rate_decay_fn: takes the learning rate and the step, returns the rate.
      update_ops: what to run before the loss; None for the graph's ``UPDATE_OPS``.
      variables: those to train; None for all.
      name: the variables' scope; "OptimizeLoss" where it is None.
      summaries: some of "learning_rate", "loss", "gradients", "gradient_norm" and
        "global_gradient_norm"; None for the default.
      colocate_gradients_with_ops: whether a gradient stands beside its operation.
      increment_global_step: whether to count the step.

    Raises:
      ValueError: the learning rate or the optimizer is none of those.
    """
    summaries = summaries or ("loss", "learning_rate", "global_gradient_norm")
    loss = tf.convert_to_tensor(loss)
    global_step = tf1.train.get_global_step() if global_step is None else global_step
    with tf1.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if update_ops is None:
            update_ops = tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
        with tf.control_dependencies(list(update_ops)):
            loss = tf.identity(loss)
        rate = _rate(learning_rate)
        if learning_rate_decay_fn is not None and rate is not None:
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in summaries:
                tf1.summary.scalar("learning_rate", rate)
        made = _optimizer(optimizer, rate)
        gradients = made.compute_gradients(
            loss, variables, colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        has_norm = "global_gradient_norm" in summaries or "gradient_norm" in summaries
        if has_norm:
            _summarize_norm("global_norm/gradient_norm", gradients)
        if "loss" in summaries:
            tf1.summary.scalar("loss", loss)
        if clip_gradients is not None:
            gradients = _clipped(gradients, clip_gradients)
        for gradient, variable in gradients:
            _summarize(gradient, variable.name.replace(":", "_"), summaries)
        if has_norm and clip_gradients is not None:
            _summarize_norm("global_norm/clipped_gradient_norm", gradients)
        counter = global_step if increment_global_step else None
        step = made.apply_gradients(gradients, global_step=counter, name="train")
        with tf.control_dependencies([step]):
            return tf.identity(loss)


def _rate(learning_rate):
    if learning_rate is None or tf.is_tensor(learning_rate):
        return learning_rate
    if not isinstance(learning_rate, float) or learning_rate < 0.0:
        raise ValueError(f"Not a learning rate: {learning_rate!r}.")
    constant = tf1.constant_initializer(learning_rate)
    return tf1.get_variable("learning_rate", [], trainable=False, initializer=constant)


def _optimizer(optimizer, rate):
    if isinstance(optimizer, str):
        optimizer = _BY_NAME.get(optimizer)
    if callable(optimizer):
        optimizer = optimizer() if rate is None else optimizer(rate)
    if not isinstance(optimizer, tf1.train.Optimizer):
        raise ValueError(f"Not an optimizer: {optimizer!r}.")
    return optimizer


def _clipped(gradients, clip):
    if callable(clip):
        return clip(gradients)
    values, variables = zip(*gradients)
    return list(zip(tf.clip_by_global_norm(values, clip)[0], variables))


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
