"""The Adam that leaves alone what a batch does not name, as ``tf.contrib.opt`` had it."""

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
