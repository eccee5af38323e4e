"""Optimizers of ``tf.contrib``."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


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
