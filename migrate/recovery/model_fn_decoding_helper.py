"""What a decoder asks for its inputs and samples, as ``tf.contrib.seq2seq`` had it."""

import tensorflow.compat.v1 as tf1


class DecodingHelper:
    """Tells a decoder its inputs, its samples and the end; to derive helpers from.

    ``batch_size`` is a scalar, asked for after ``initialize()``.
    """

    sample_ids_shape = tf1.TensorShape([])
    sample_ids_dtype = tf1.int32

    def initialize(self, name=None):
        """Returns what has ended, [batch], and the first inputs."""
        raise NotImplementedError

    def sample(self, time, outputs, state, name=None):
        """Returns the samples of the outputs."""
        raise NotImplementedError

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns what has ended, the next inputs and the next state."""
        raise NotImplementedError
