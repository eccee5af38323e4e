"""Heads of ``tf.estimator`` for counts and for probabilities."""

import tensorflow as tf

from migrate.recovery.estimator_heads import RegressionHead


class PoissonRegressionHead(RegressionHead):
    """A head for counts, as ``tf.estimator.PoissonRegressionHead``.

    Args:
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction, name: as for ``MultiClassHead``.
      compute_full_loss: whether to add the constant part of the loss.
    """

    def __init__(
        self,
        label_dimension=1,
        weight_column=None,
        loss_reduction="sum_over_batch_size",
        compute_full_loss=True,
        name=None,
    ):
        def loss_fn(labels, logits):
            return tf.nn.log_poisson_loss(labels, logits, compute_full_loss)

        settings = loss_reduction, loss_fn, tf.exp, name
        super().__init__(label_dimension, weight_column, *settings)


class LogisticRegressionHead(RegressionHead):
    """A head for a probability, as ``tf.estimator.LogisticRegressionHead``.

    Args:
      weight_column, loss_reduction, name: as for ``MultiClassHead``.
    """

    def __init__(
        self, weight_column=None, loss_reduction="sum_over_batch_size", name=None
    ):
        loss_fn = tf.nn.sigmoid_cross_entropy_with_logits
        super().__init__(1, weight_column, loss_reduction, loss_fn, tf.sigmoid, name)

    def _checked(self, labels):
        return probabilities_checked(super()._checked(labels))


def probabilities_checked(labels):
    """Returns labels that are checked, as a step runs, to be from 0 to 1."""
    in_range = tf.debugging.Assert(
        tf.reduce_all((labels >= 0) & (labels <= 1)),
        ["Labels must be in [0, 1].", labels],
    )
    with tf.control_dependencies([in_range]):
        return tf.identity(labels)
