"""Estimators over networks and a head, as the premade ones of TensorFlow 2 were."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.canned_keras_optimizer import (
    CannedKerasOptimizer,
    canned_keras_train_op,
)
from migrate.recovery.estimator import Estimator

_NOT_CARRIED = (
    "amsgrad",
    "centered",
    "clipnorm",
    "clipvalue",
    "global_clipnorm",
    "gradient_accumulation_steps",
    "l2_shrinkage_regularization_strength",
    "loss_scale_factor",
    "use_ema",
    "weight_decay",
)


class PremadeEstimatorV2(Estimator):
    """An ``Estimator`` whose model_fn adds up the logits of networks.

    Args:
      head: what makes predictions and a loss of the logits.
      networks: a dict from a variable scope to a function that takes features, how many
        logits to give, and the mode, and returns the logits.
      optimizers: a dict from a variable scope to what trains it: a ``tf.keras``
        optimizer, a function that makes one, or the name of one, and the learning rate
        that it has if it is given by name. The first counts the steps.
      settings: model_dir, config and warm_start_from of an ``Estimator``.
    """

    def __init__(self, head, networks, optimizers, **settings):
        made = {scope: keras_optimizer(*one) for scope, one in optimizers.items()}

        def model_fn(features, labels, mode):
            parts = []
            for scope, network in networks.items():
                with tf1.variable_scope(scope):
                    parts.append(network(features, head.units, mode))
            return head.spec(
                features,
                labels,
                mode,
                sum(parts[1:], parts[0]),
                lambda loss: canned_keras_train_op(loss, made),
            )

        super().__init__(model_fn, **settings)


def keras_optimizer(optimizer, learning_rate):
    """Returns the ``CannedKerasOptimizer`` for an optimizer.

    Args:
      optimizer: a ``tf.keras`` optimizer or a ``CannedKerasOptimizer``, a function that
        makes one, or the name of one.
      learning_rate: the rate for one that is given by name.

    Raises:
      ValueError: it is of another kind, or has a setting that is not carried over.
    """
    if isinstance(optimizer, str):
        return CannedKerasOptimizer(
            {"RMSProp": "RMSprop"}.get(optimizer, optimizer), learning_rate
        )
    if callable(optimizer):
        optimizer = optimizer()
    if isinstance(optimizer, CannedKerasOptimizer):
        return optimizer
    kind, config = type(optimizer).__name__, optimizer.get_config()
    kinds = "SGD", "Adagrad", "Adam", "Ftrl", "RMSprop"
    other = [name for name in _NOT_CARRIED if config.get(name)]
    if kind not in kinds or other:
        what = f"A {kind}" + (f" with {', '.join(other)}" if other else "")
        raise ValueError(f"{what} is not carried over from tf.estimator.")
    rate = config["learning_rate"]
    if isinstance(rate, dict):
        rate = tf.keras.optimizers.schedules.deserialize(rate)
    known = (
        "beta",
        "beta_1",
        "beta_2",
        "decay",
        "epsilon",
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "learning_rate_power",
        "momentum",
        "nesterov",
        "rho",
    )
    settings = {name: config[name] for name in known if name in config}
    return CannedKerasOptimizer(kind, rate, **settings)
