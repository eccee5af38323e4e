"""The helper of a decoder that is trained, as ``tf.contrib.seq2seq`` had it."""

import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_decoding_helper import DecodingHelper


class TrainingHelper(DecodingHelper):
    """Reads the inputs, and samples what is likeliest.

    Args:
      inputs: [batch, time, ...].
      sequence_length: [batch].
      time_major: whether the inputs are [time, batch, ...].
      name: of the scope of the operations.

    Raises:
      ValueError: sequence_length is no vector.
    """

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with tf1.name_scope(name, "TrainingHelper"):
            inputs = self.inputs = tf1.convert_to_tensor(inputs)
            self.sequence_length = tf1.convert_to_tensor(sequence_length)
            if self.sequence_length.shape.rank != 1:
                raise ValueError(f"No vector of lengths: {sequence_length}.")
            if not time_major:
                inputs = tf1.transpose(inputs, [1, 0, *range(2, inputs.shape.rank)])
            self._steps = tf1.TensorArray(
                inputs.dtype, tf1.shape(inputs)[0], element_shape=inputs.shape[1:]
            ).unstack(inputs)
            self._zero_inputs = tf1.zeros_like(inputs[0])
            self.batch_size = tf1.size(self.sequence_length)

    def initialize(self, name=None):
        finished = tf1.equal(self.sequence_length, 0)
        return finished, self._read(0, finished)

    def sample(self, time, outputs, name=None, **more):
        return tf1.argmax(outputs, -1, output_type=tf1.int32)

    def next_inputs(self, time, outputs, state, name=None, **more):
        finished = self.sequence_length <= time + 1
        return finished, self._read(time + 1, finished), state

    def _read(self, time, finished):
        return tf1.cond(
            tf1.reduce_all(finished),
            lambda: self._zero_inputs,
            lambda: self._steps.read(time),
        )
