# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 1535e23341630e09).
"""The loss of ``tf.contrib.seq2seq``."""

import tensorflow.compat.v1 as tf1


def sequence_loss(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    average_across_batch=True,
    sum_over_timesteps=False,
    sum_over_batch=False,
    softmax_loss_function=None,
    name=None,
):
    """Returns the weighted cross-entropy, reduced over time, batch, both or neither.

    Args:
      logits: [batch, time, classes].
      targets: the true classes, integers, [batch, time].
      weights: [batch, time].
      average_across_timesteps, average_across_batch: divide by the sum of weights.
      sum_over_timesteps, sum_over_batch: divide by the number of weights that are not 0.
      softmax_loss_function: takes labels [batch * time] and logits [batch * time,
        classes] by name; None for the sparse softmax cross-entropy.
      name: the name scope; None for "sequence_loss".

    Raises:
      ValueError: a rank is wrong, or a dimension is both averaged and summed.
    """
    if [len(one.shape) for one in (logits, targets, weights)] != [3, 2, 2]:
        raise ValueError("Logits are [batch, time, classes], the others [batch, time].")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError("Timesteps are averaged or summed, not both.")
    if average_across_batch and sum_over_batch:
        raise ValueError("The batch is averaged or summed, not both.")
    cross_entropy = (
        softmax_loss_function or tf1.nn.sparse_softmax_cross_entropy_with_logits
    )
    with tf1.name_scope(name, "sequence_loss", [logits, targets, weights]):
        shape = tf1.shape(logits)
        losses = cross_entropy(
            labels=tf1.reshape(targets, [-1]),
            logits=tf1.reshape(logits, [-1, shape[2]]),
        )
        losses = tf1.reshape(losses * tf1.reshape(weights, [-1]), shape[:2])
        is_averaged = [average_across_batch, average_across_timesteps]
        is_summed = [sum_over_batch, sum_over_timesteps]
        if all(is_averaged) or all(is_summed):
            axes = [0, 1]
        elif any(is_averaged) or any(is_summed):
            axes = [(is_averaged if any(is_averaged) else is_summed).index(True)]
        else:
            return losses
        if any(is_averaged):
            size = tf1.reduce_sum(weights, axes)
        else:
            size = tf1.cast(tf1.math.count_nonzero(weights, axes), losses.dtype)
        return tf1.div_no_nan(tf1.reduce_sum(losses, axes), size)
