"""Helpers of ``tf.contrib.seq2seq`` that call functions, or mix their own samples in."""

import tensorflow.compat.v1 as tf1

from .contrib_decoding_helpers import DecodingHelper, TrainingHelper


class CustomHelper(DecodingHelper):
    """Calls three functions.

    Args:
      initialize_fn: returns what has ended, [batch], and the first inputs.
      sample_fn: takes time, outputs and state by name, returns the samples.
      next_inputs_fn: takes sample_ids too, returns what has ended, the next inputs and
        the next state.
      sample_ids_shape: of one sample; None for a scalar.
      sample_ids_dtype: of the samples; None for int32.
    """

    def __init__(
        self,
        initialize_fn,
        sample_fn,
        next_inputs_fn,
        sample_ids_shape=None,
        sample_ids_dtype=None,
    ):
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self.batch_size = None
        self.sample_ids_shape = tf1.TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or tf1.int32

    def initialize(self, name=None):
        finished, inputs = self._initialize_fn()
        if self.batch_size is None:
            self.batch_size = tf1.size(finished)
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        return self._next_inputs_fn(
            time=time, outputs=outputs, state=state, sample_ids=sample_ids
        )


class InferenceHelper(DecodingHelper):
    """Samples by a function; the samples, or what is made of them, are the next inputs.

    Args:
      sample_fn: takes the outputs, returns the samples.
      sample_shape: of one sample.
      sample_dtype: of the samples.
      start_inputs: the first inputs, [batch, ...].
      end_fn: takes the samples, returns what has ended, [batch].
      next_inputs_fn: takes the samples, returns the next inputs; None for themselves.
    """

    def __init__(
        self,
        sample_fn,
        sample_shape,
        sample_dtype,
        start_inputs,
        end_fn,
        next_inputs_fn=None,
    ):
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._next_inputs_fn = next_inputs_fn
        self._start_inputs = tf1.convert_to_tensor(start_inputs)
        self.batch_size = tf1.shape(self._start_inputs)[0]
        self.sample_ids_shape = tf1.TensorShape(sample_shape)
        self.sample_ids_dtype = sample_dtype

    def initialize(self, name=None):
        return tf1.fill([self.batch_size], False), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        of_own = self._next_inputs_fn is not None
        inputs = self._next_inputs_fn(sample_ids) if of_own else sample_ids
        return self._end_fn(sample_ids), inputs, state


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Reads the inputs, but for some draws from the outputs, which it embeds.

    The samples are -1 where nothing was drawn.

    Args:
      inputs, sequence_length, time_major, name: as of TrainingHelper.
      embedding: a function of ids, or the embeddings, [ids, values].
      sampling_probability: of a draw, a scalar from 0 to 1.
      seed: of the draws.
      scheduling_seed: of the choice whether to draw.

    Raises:
      ValueError: sampling_probability is no scalar.
    """

    def __init__(
        self,
        inputs,
        sequence_length,
        embedding,
        sampling_probability,
        time_major=False,
        seed=None,
        scheduling_seed=None,
        name=None,
    ):
        self._embedding_fn = embedding
        if not callable(embedding):
            self._embedding_fn = lambda ids: tf1.nn.embedding_lookup(embedding, ids)
        self._sampling_probability = tf1.convert_to_tensor(sampling_probability)
        if self._sampling_probability.shape.rank != 0:
            raise ValueError("sampling_probability must be a scalar.")
        self._seed, self._scheduling_seed = seed, scheduling_seed
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time, outputs, state, name=None):
        size, chance = [self.batch_size], self._sampling_probability
        level = tf1.random_uniform(size, dtype=chance.dtype, seed=self._scheduling_seed)
        drawn = tf1.multinomial(outputs, 1, seed=self._seed, output_dtype=tf1.int32)
        return tf1.where(level < chance, drawn[:, 0], tf1.fill(size, -1))

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished, inputs, state = super().next_inputs(time, outputs, state)

        def mixed():
            drawn, read = (
                tf1.cast(tf1.where(chosen), tf1.int32)
                for chosen in (sample_ids > -1, sample_ids <= -1)
            )
            embedded = self._embedding_fn(tf1.gather_nd(sample_ids, drawn))
            kept, shape = tf1.gather_nd(inputs, read), tf1.shape(inputs)
            embedded = tf1.scatter_nd(drawn, embedded, shape)
            return embedded + tf1.scatter_nd(read, kept, shape)

        all_finished = tf1.reduce_all(finished)
        return finished, tf1.cond(all_finished, lambda: inputs, mixed), state
