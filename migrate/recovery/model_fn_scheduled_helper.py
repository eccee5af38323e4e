"""Scheduled sampling in training a decoder, as ``tf.contrib.seq2seq`` had it."""

import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_training_helper import TrainingHelper


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
