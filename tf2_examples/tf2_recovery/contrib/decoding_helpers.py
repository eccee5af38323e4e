# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 34e07af5c91ee2b4).
"""Helpers of ``tf.contrib.seq2seq``: they give a decoder its inputs."""

import tensorflow.compat.v1 as tf1


class DecodingHelper:
    """A base class of helpers, which sample a decoder's outputs and make its inputs.

    ``batch_size`` is a scalar, which is read after ``initialize()``.
    """

    sample_ids_shape = tf1.TensorShape([])
    sample_ids_dtype = tf1.int32

    def initialize(self, name=None):
        """Returns which sequences have ended, [batch], and the first inputs."""
        raise NotImplementedError

    def sample(self, time, outputs, state, name=None):
        """Returns the samples of the outputs."""
        raise NotImplementedError

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns which sequences have ended, the next inputs and the next state."""
        raise NotImplementedError


class TrainingHelper(DecodingHelper):
    """Reads given inputs, and samples the id with the largest output.

    Args:
      inputs: [batch, time, ...].
      sequence_length: [batch].
      time_major: whether the inputs are [time, batch, ...].
      name: the name scope; None for "TrainingHelper".

    Raises:
      ValueError: sequence_length is not a vector.
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


class GreedyEmbeddingHelper(DecodingHelper):
    """Samples the id with the largest output; its embedding is the next input.

    Args:
      embedding: a function of ids, or the embeddings, [ids, size].
      start_tokens: the first ids, [batch].
      end_token: the id that ends a sequence, a scalar.

    Raises:
      ValueError: start_tokens is not a vector or end_token not a scalar.
    """

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = embedding
        if not callable(embedding):
            self._embedding_fn = lambda ids: tf1.nn.embedding_lookup(embedding, ids)
        self._start_tokens = tf1.convert_to_tensor(start_tokens, tf1.int32)
        self._end_token = tf1.convert_to_tensor(end_token, tf1.int32)
        if (self._start_tokens.shape.rank, self._end_token.shape.rank) != (1, 0):
            raise ValueError("start_tokens must be a vector, end_token a scalar.")
        self.batch_size = tf1.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name=None):
        return tf1.fill([self.batch_size], False), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return tf1.argmax(outputs, -1, output_type=tf1.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = tf1.equal(sample_ids, self._end_token)
        inputs = tf1.cond(
            tf1.reduce_all(finished),
            lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, inputs, state
