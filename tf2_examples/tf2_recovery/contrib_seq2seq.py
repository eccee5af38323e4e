# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content ef4b9b739da5b2c1).
"""Decoders of ``tf.contrib.seq2seq``, their helpers and the loss."""

import collections

import tensorflow.compat.v1 as tf1


class SequenceDecoder:
    """What decodes one step at a time, to derive decoders from.

    ``batch_size``, ``output_size`` and ``output_dtype`` are asked for after
    ``initialize()``; the last two have the structure of the outputs.
    """

    tracks_own_finished = False
    """Whether a step tells all that has ended, as where it changes their order."""

    def initialize(self, name=None):
        """Returns what has ended, the first inputs and the first state."""
        raise NotImplementedError

    def step(self, time, inputs, state, name=None):
        """Returns the outputs, the next state and inputs, and what has ended."""
        raise NotImplementedError

    def finalize(self, outputs, final_state, sequence_lengths):
        """Returns what takes the place of the outputs and of the state."""
        return outputs, final_state


def dynamic_decode(
    decoder,
    output_time_major=False,
    impute_finished=False,
    maximum_iterations=None,
    parallel_iterations=32,
    swap_memory=False,
    scope=None,
):
    """Returns the outputs of all steps, the last state and the sequences' lengths.

    Args:
      decoder: a SequenceDecoder.
      output_time_major: whether the outputs are [time, batch, ...].
      impute_finished: whether a sequence that ended keeps its state, and gives zeros.
      maximum_iterations: how many steps there are at most; None for no limit.
      parallel_iterations, swap_memory: of the loop.
      scope: the variables' scope; "decoder" where it is None.

    Raises:
      TypeError: it is no decoder.
      ValueError: maximum_iterations is no scalar.
    """
    if not isinstance(decoder, SequenceDecoder):
        raise TypeError(f"No decoder: {decoder}.")
    with tf1.variable_scope(scope, "decoder"):
        if maximum_iterations is not None:
            maximum_iterations = tf1.convert_to_tensor(maximum_iterations, tf1.int32)
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar.")
        finished, inputs, state = decoder.initialize()
        if maximum_iterations is not None:
            finished = tf1.logical_or(finished, maximum_iterations <= 0)
        batch_size = decoder.batch_size
        zeros = tf1.nest.map_structure(
            lambda size, dtype: tf1.zeros(
                [batch_size, *tf1.TensorShape(size).as_list()], dtype
            ),
            decoder.output_size,
            decoder.output_dtype,
        )
        arrays = tf1.nest.map_structure(
            lambda zero, dtype: tf1.TensorArray(
                dtype, size=0, dynamic_size=True, element_shape=zero.shape
            ),
            zeros,
            decoder.output_dtype,
        )

        def is_unfinished(time, arrays, state, inputs, finished, lengths):
            return tf1.logical_not(tf1.reduce_all(finished))

        def step(time, arrays, state, inputs, finished, lengths):
            outputs, new_state, inputs, now = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                now = tf1.logical_or(now, finished)
            lengths = tf1.where(
                finished, lengths, tf1.fill(tf1.shape(lengths), time + 1)
            )
            if impute_finished:
                outputs = tf1.nest.map_structure(
                    lambda zero, one: tf1.where(finished, zero, one), zeros, outputs
                )
                new_state = tf1.nest.map_structure(
                    lambda old, new: _kept(finished, old, new), state, new_state
                )
            arrays = tf1.nest.map_structure(
                lambda array, one: array.write(time, one), arrays, outputs
            )
            return time + 1, arrays, new_state, inputs, now, lengths

        lengths = tf1.zeros_like(finished, tf1.int32)
        _, arrays, state, _, _, lengths = tf1.while_loop(
            is_unfinished,
            step,
            (tf1.constant(0), arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = tf1.nest.map_structure(lambda array: array.stack(), arrays)
        outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = tf1.nest.map_structure(_batch_first, outputs)
    return outputs, state, lengths


def _kept(finished, old, new):
    """The new state, the old one where a sequence has ended."""
    if isinstance(old, tf1.TensorArray) or new.shape.merge_with(old.shape).rank == 0:
        return new
    return tf1.where(finished, old, new)


def _batch_first(value):
    rank = value.shape.rank
    return value if rank < 2 else tf1.transpose(value, [1, 0, *range(2, rank)])


BasicDecoderOutput = collections.namedtuple(
    "BasicDecoderOutput", ("rnn_output", "sample_id")
)


class BasicDecoder(SequenceDecoder):
    """Gives a cell the inputs that a helper tells, and samples by the helper.

    Args:
      cell: a recurrent cell.
      helper: tells the inputs, the samples and the end.
      initial_state: the cell's first state.
      output_layer: a layer over the cell's outputs; None for none.
    """

    def __init__(self, cell, helper, initial_state, output_layer=None):
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self):
        return self._helper.batch_size

    @property
    def output_size(self):
        return BasicDecoderOutput(
            self._rnn_output_size(), self._helper.sample_ids_shape
        )

    @property
    def output_dtype(self):
        dtype = tf1.nest.flatten(self._initial_state)[0].dtype
        sizes = self._rnn_output_size()
        return BasicDecoderOutput(
            tf1.nest.map_structure(lambda _: dtype, sizes),
            self._helper.sample_ids_dtype,
        )

    def initialize(self, name=None):
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time, inputs, state, name=None):
        with tf1.name_scope(name, "BasicDecoderStep"):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), state, inputs, finished

    def _rnn_output_size(self):
        def after_layer(size):
            shape = tf1.TensorShape([None]).concatenate(size)
            shape = self._output_layer.compute_output_shape(shape)
            return tf1.TensorShape(shape)[1:]

        size = self._cell.output_size
        has_layer = self._output_layer is not None
        return tf1.nest.map_structure(after_layer, size) if has_layer else size


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
    """Returns the weighted cross-entropy, over the dimensions that are asked for.

    Args:
      logits: [batch, time, classes].
      targets: the true classes, [batch, time].
      weights: of each place, [batch, time].
      average_across_timesteps, average_across_batch: divide by the sum of weights.
      sum_over_timesteps, sum_over_batch: divide by the number of weights but 0.
      softmax_loss_function: takes labels and logits by name, one row for each place;
        None for the sparse softmax.
      name: of the scope of the operations.

    Raises:
      ValueError: a rank is another, or one dimension is averaged and summed.
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
        averaged = [average_across_batch, average_across_timesteps]
        summed = [sum_over_batch, sum_over_timesteps]
        if all(averaged) or all(summed):
            axes = [0, 1]
        elif any(averaged) or any(summed):
            axes = [(averaged if any(averaged) else summed).index(True)]
        else:
            return losses
        if any(averaged):
            size = tf1.reduce_sum(weights, axes)
        else:
            size = tf1.cast(tf1.math.count_nonzero(weights, axes), losses.dtype)
        return tf1.div_no_nan(tf1.reduce_sum(losses, axes), size)
