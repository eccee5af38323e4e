"""Estimators over networks and a head, as the premade ones of TensorFlow 2 were."""

import tensorflow.compat.v1 as tf1

from migrate.recovery.canned_keras_optimizer import (
    canned_keras_train_op,
    keras_optimizer,
)
from migrate.recovery.estimator import Estimator


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
