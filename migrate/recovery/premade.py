"""Estimators over networks and a head, as the premade ones of TensorFlow 1 were."""

import tensorflow.compat.v1 as tf1

from migrate.recovery.canned_optimizer import (
    canned_optimizer,
    canned_train_op,
    whole_variables,
)
from migrate.recovery.estimator import Estimator


class PremadeEstimator(Estimator):
    """An ``Estimator`` whose model_fn adds up the logits of networks.

    Args:
      head: what makes predictions and a loss of the logits.
      networks: a dict from a variable scope to a function that takes features, how many
        logits to give, and the mode, and returns the logits.
      optimizers: a dict from a variable scope to what trains it, and to the learning
        rate that this has if it is given by name.
      is_combined: whether there may be several networks.
      settings: model_dir, config and warm_start_from of an ``Estimator``.
    """

    def __init__(self, head, networks, optimizers, is_combined=False, **settings):
        def train(loss):
            made = {scope: canned_optimizer(*one) for scope, one in optimizers.items()}
            one = next(iter(made.values()))
            return canned_train_op(loss, made if is_combined else one)

        def model_fn(features, labels, mode):
            parts = []
            for scope, network in networks.items():
                # TensorFlow 1's optimizer stood in the scope of its network.
                with tf1.variable_scope(scope, partitioner=whole_variables()):
                    parts.append(network(features, head.units, mode))
                    if not is_combined:
                        return head.spec(features, labels, mode, parts[0], train)
            return head.spec(features, labels, mode, sum(parts[1:], parts[0]), train)

        super().__init__(model_fn, **settings)
