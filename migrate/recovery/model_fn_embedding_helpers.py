"""Helpers of a decoder that is fed its samples, as ``tf.contrib.seq2seq`` had them."""

import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_decoding_helper import DecodingHelper


class GreedyEmbeddingHelper(DecodingHelper):
    """Samples what is likeliest, whose embedding is the next input.

    Args:
      embedding: a function of ids, or the embeddings, [ids, values].
      start_tokens: the first ids, [batch].
      end_token: the id that ends a sequence.

    Raises:
      ValueError: start_tokens is no vector or end_token no scalar.
    """

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = embedding
        if not callable(embedding):
            self._embedding_fn = lambda ids: tf1.nn.embedding_lookup(embedding, ids)
        self._start_tokens = tf1.convert_to_tensor(start_tokens, tf1.int32)
        self._end_token = tf1.convert_to_tensor(end_token, tf1.int32)
        if (self._start_tokens.shape.rank, self._end_token.shape.rank) != (1, 0):
            raise ValueError("start_tokens must be a vector, end_token a scalar.")
        self._batch_size = tf1.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self):
        return self._batch_size

    def initialize(self, name=None):
        return tf1.fill([self._batch_size], False), self._start_inputs

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


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Draws ids by their probabilities; an id's embedding is the next input.

    Args:
      embedding, start_tokens, end_token: as of GreedyEmbeddingHelper.
      softmax_temperature: divides the logits; None for 1.
      seed: of the draws.
    """

    def __init__(
        self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None
    ):
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time, outputs, state, name=None):
        heat = self._softmax_temperature
        logits = outputs if heat is None else outputs / heat
        drawn = tf1.multinomial(logits, 1, seed=self._seed, output_dtype=tf1.int32)
        return drawn[:, 0]
