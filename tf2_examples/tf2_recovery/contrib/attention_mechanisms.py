# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 5b2b965f3bcc53ef).
"""The attention mechanisms of ``tf.contrib.seq2seq``."""

import math

import tensorflow.compat.v1 as tf1


class AttentionMechanism:
    """A base class of mechanisms, which have an alignments_size and a state_size."""


class _MemoryAttention(AttentionMechanism):
    """A base class of mechanisms that attend to a memory.

    Args:
      num_units: the size of the keys, an int.
      memory: [batch, time, ...].
      memory_sequence_length: how many steps of each row count, [batch]; None for all.
      probability_fn: takes the scores, [batch, time]; None for the softmax.
      score_mask_value: the score of the other steps, a float; None for minus infinity.
      dtype: of the layers; None for float32.
      custom_key_value_fn: takes (keys, values), returns new ones; None for no change.
      name: ignored.
    """

    query_layer = None

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name=None,
    ):
        self.dtype = tf1.as_dtype(dtype or tf1.float32).name
        self.memory_layer = _projection(num_units, "memory_layer", self.dtype)
        if score_mask_value is None:
            score_mask_value = -math.inf
        lengths = memory_sequence_length

        def probabilities(score):
            if lengths is not None:
                with tf1.control_dependencies([tf1.debugging.assert_positive(lengths)]):
                    inside = tf1.sequence_mask(lengths, tf1.shape(score)[1])
                outside = score_mask_value * tf1.ones_like(score)
                score = tf1.where(inside, score, outside)
            return (probability_fn or tf1.nn.softmax)(score)

        self._probability_fn = probabilities
        values = tf1.convert_to_tensor(memory)
        if lengths is not None:
            mask = tf1.sequence_mask(lengths, tf1.shape(values)[1], values.dtype)
            values *= mask[(..., *[None] * (values.shape.rank - 2))]
        keys = self.memory_layer(values)
        if custom_key_value_fn is not None:
            keys, values = custom_key_value_fn(keys, values)
        self.keys, self.values = keys, values
        known, shape = keys.shape.as_list(), tf1.shape(keys)
        sizes = [known[axis] or shape[axis] for axis in (0, 1)]
        self.batch_size, self.alignments_size = sizes
        self.state_size = self.alignments_size

    def initial_alignments(self, batch_size, dtype):
        return tf1.zeros([batch_size, self.alignments_size], dtype)

    def initial_state(self, batch_size, dtype):
        return self.initial_alignments(batch_size, dtype)


class BahdanauAttention(_MemoryAttention):
    """Bahdanau's attention: scores by a layer applied to the sum of query and key.

    Args:
      num_units, memory, memory_sequence_length, more, settings: as for
        ``_MemoryAttention``, in its order.
      normalize: whether to normalize the weights of the score.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        *more,
        **settings,
    ):
        super().__init__(num_units, memory, memory_sequence_length, *more, **settings)
        self._num_units, self._normalize = num_units, normalize
        self.query_layer = _projection(num_units, "query_layer", self.dtype)

    def __call__(self, query, state):
        """Returns the alignments, [batch, time], twice: they are also the next state."""
        with tf1.variable_scope(None, "bahdanau_attention", [query]):
            query = self.query_layer(query)
            units, dtype = [self._num_units], query.dtype
            weights = tf1.get_variable("attention_v", units, dtype)
            hidden = self.keys + query[:, None]
            if self._normalize:
                start = tf1.constant_initializer(self._num_units**-0.5)
                scale = tf1.get_variable("attention_g", [], dtype, start)
                start = tf1.zeros_initializer()
                hidden += tf1.get_variable("attention_b", units, dtype, start)
                norm = tf1.rsqrt(tf1.reduce_sum(tf1.square(weights)))
                weights = scale * weights * norm
            score = tf1.reduce_sum(weights * tf1.tanh(hidden), 2)
        alignments = self._probability_fn(score)
        return alignments, alignments


class LuongAttention(_MemoryAttention):
    """Luong's attention: scores by the product of query and key.

    Args:
      num_units, memory, memory_sequence_length, more, settings: as for
        ``_MemoryAttention``, in its order.
      scale: whether to multiply the score by a variable.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        *more,
        **settings,
    ):
        super().__init__(num_units, memory, memory_sequence_length, *more, **settings)
        self._scale = scale

    def __call__(self, query, state):
        """Returns the alignments, [batch, time], twice: they are also the next state.

        Raises:
          ValueError: the sizes of the query and the keys differ.
        """
        if query.shape.as_list()[-1] != self.keys.shape.as_list()[-1]:
            raise ValueError(f"Query {query}, but keys {self.keys}.")
        with tf1.variable_scope(None, "luong_attention", [query]):
            score = tf1.matmul(query[:, None], self.keys, transpose_b=True)[:, 0]
            if self._scale:
                start = tf1.ones_initializer
                score *= tf1.get_variable("attention_g", [], query.dtype, start)
        alignments = self._probability_fn(score)
        return alignments, alignments


def _projection(units, name, dtype):
    return tf1.layers.Dense(units, name=name, use_bias=False, dtype=dtype)
