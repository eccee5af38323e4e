"""The optimizer of a model_fn that asked a private function of the Estimator for it."""

import tensorflow.compat.v1 as tf1

from migrate.recovery.canned_optimizer import canned_optimizer


def get_optimizer_instance(opt, learning_rate=None):
    """Returns a ``tf.compat.v1.train.Optimizer``, as the canned estimators do.

    Args:
      opt: one, a function that makes one, or the name of one.
      learning_rate: the rate for one that is given by name.

    Raises:
      ValueError: the rate is missing, or opt is something else.
    """
    if isinstance(opt, str) and not learning_rate:
        raise ValueError("learning_rate must be specified when opt is string.")
    optimizer = canned_optimizer(opt, learning_rate)
    if not isinstance(optimizer, tf1.train.Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {opt}")
    return optimizer
