"""Loss scaling of ``tf.contrib.mixed_precision``, with the same names of variables."""

import tensorflow.compat.v1 as tf1


class FixedLossScaleManager:
    """A constant loss scale.

    Args:
      loss_scale: a float, at least 1.

    Raises:
      ValueError: loss_scale is less than 1.
    """

    def __init__(self, loss_scale):
        if loss_scale < 1:
            raise ValueError("The loss scale must be at least 1.")
        self._loss_scale = tf1.convert_to_tensor(loss_scale, tf1.float32)

    def get_loss_scale(self):
        """Returns the scale, a float32 tensor."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        """Returns an operation that does nothing."""
        return tf1.no_op()


class ExponentialUpdateLossScaleManager:
    """A loss scale that grows while gradients are finite, and shrinks when they are not.

    Its variables are ``loss_scale``, ``good_steps`` and ``bad_steps``.

    Args:
      init_loss_scale: the first scale, a float.
      incr_every_n_steps: how many steps with finite gradients in a row let it grow.
      decr_every_n_nan_or_inf: how many other steps let it shrink.
      incr_ratio: the factor of growing, unless the scale would exceed float32.
      decr_ratio: the factor of shrinking; the scale never falls below 1.
    """

    def __init__(
        self,
        init_loss_scale,
        incr_every_n_steps,
        decr_every_n_nan_or_inf=2,
        incr_ratio=2,
        decr_ratio=0.8,
    ):
        self._steps = incr_every_n_steps, decr_every_n_nan_or_inf
        self._ratios = incr_ratio, decr_ratio
        first = tf1.convert_to_tensor(init_loss_scale, tf1.float32)
        self._loss_scale = tf1.Variable(first, trainable=False, name="loss_scale")
        self._good = tf1.Variable(0, trainable=False, name="good_steps")
        self._bad = tf1.Variable(0, trainable=False, name="bad_steps")

    def get_loss_scale(self):
        """Returns the scale, a float32 variable."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        """Returns an operation that counts a step, and grows or shrinks the scale.

        Args:
          finite_grads: a boolean tensor, whether the step's gradients are finite.
        """
        good, bad = self._good.read_value() + 1, self._bad.read_value() + 1
        grows = finite_grads & (good >= self._steps[0])
        shrinks = ~finite_grads & (bad >= self._steps[1])
        scale = self._loss_scale.read_value()
        more, less = scale * self._ratios[0], tf1.maximum(1.0, scale * self._ratios[1])
        more = tf1.where(tf1.is_finite(more), more, scale)
        is_counted = finite_grads & ~grows
        is_missed = ~finite_grads & ~shrinks
        bad = tf1.where(is_missed, bad, tf1.where(is_counted, bad - 1, 0))
        return tf1.group(
            self._loss_scale.assign(
                tf1.where(grows, more, tf1.where(shrinks, less, scale))
            ),
            self._good.assign(tf1.where(is_counted, good, 0)),
            self._bad.assign(bad),
        )


class LossScaleOptimizer(tf1.train.Optimizer):
    """An optimizer that scales the loss, and skips steps whose gradients are not finite.

    Args:
      opt: the ``tf.compat.v1.train.Optimizer`` that takes the steps.
      loss_scale_manager: returns the scale, and updates it.
    """

    def __init__(self, opt, loss_scale_manager):
        self._opt, self._manager = opt, loss_scale_manager

    def compute_gradients(self, loss, var_list=None, **options):
        """Returns the gradients of the unscaled loss, computed from the scaled one."""
        scale = tf1.convert_to_tensor(self._manager.get_loss_scale())
        loss = loss() if callable(loss) else loss
        scaled = loss * tf1.cast(scale, loss.dtype.base_dtype)
        gradients = self._opt.compute_gradients(scaled, var_list=var_list, **options)
        inverse = tf1.reciprocal(scale)
        return [
            (None if g is None else g * tf1.cast(inverse, g.dtype.base_dtype), v)
            for g, v in gradients
        ]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Returns an operation that takes a step if all gradients are finite."""
        pairs = list(grads_and_vars)
        finite = tf1.reduce_all([tf1.reduce_all(tf1.is_finite(g)) for g, _ in pairs])

        with tf1.name_scope("cond") as scope:  # Adam's powers are named by it

            def step():
                with tf1.name_scope(scope):
                    taken = self._opt.apply_gradients(pairs, global_step, name)
                with tf1.control_dependencies([taken]):
                    return tf1.constant(True)

            taken = tf1.cond(finite, step, lambda: tf1.constant(False))
        return tf1.group(taken, self._manager.update_loss_scale(finite))
