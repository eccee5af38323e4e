"""Dropout that goes on after a resume where it stood."""

import random

import tensorflow as tf


class ResumableDropout(tf.keras.layers.Layer):
    """Dropout whose random state is a weight, and so part of every checkpoint.

    ``tf.keras.layers.Dropout`` keeps its state out of a ``tf.train.Checkpoint``: a
    resumed job would drop other units than an uninterrupted one. Call
    ``tf.keras.utils.set_random_seed`` first to repeat a whole job.

    Args:
      rate: the fraction of units to drop while training, 0 <= rate < 1.
    """

    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        self.state = self.add_weight(
            name="state",
            shape=(2,),
            dtype="int64",
            initializer=lambda shape, dtype: tf.constant(
                [random.randrange(2**31), 0], dtype
            ),
            trainable=False,
        )

    def call(self, inputs, training=False):
        if not training:
            return inputs
        state = self.state.assign_add([0, 1])  # its second number counts the steps
        return tf.nn.experimental.stateless_dropout(inputs, self.rate, seed=state)
