"""Decoders of ``tf.contrib.seq2seq`` and their loop."""

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
        loop = _Loop(decoder, impute_finished)
        arrays, lengths = loop.arrays(), tf1.zeros_like(finished, tf1.int32)
        _, arrays, state, _, _, lengths = tf1.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: tf1.logical_not(
                tf1.reduce_all(finished)
            ),
            loop.step,
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


class _Loop:
    """What a loop over the steps of a decoder does in each."""

    def __init__(self, decoder, impute_finished):
        self._decoder, self._impute_finished = decoder, impute_finished
        batch_size = decoder.batch_size
        self._zeros = tf1.nest.map_structure(
            lambda size, dtype: tf1.zeros(
                [batch_size, *tf1.TensorShape(size).as_list()], dtype
            ),
            decoder.output_size,
            decoder.output_dtype,
        )

    def arrays(self):
        """Returns what the outputs of all steps are put into."""
        return tf1.nest.map_structure(
            lambda zero, dtype: tf1.TensorArray(
                dtype, size=0, dynamic_size=True, element_shape=zero.shape
            ),
            self._zeros,
            self._decoder.output_dtype,
        )

    def step(self, time, arrays, state, inputs, finished, lengths):
        """Takes a step; returns what the next one takes."""
        outputs, new_state, inputs, now = self._decoder.step(time, inputs, state)
        if not self._decoder.tracks_own_finished:
            now = tf1.logical_or(now, finished)
        lengths = tf1.where(finished, lengths, tf1.fill(tf1.shape(lengths), time + 1))
        if self._impute_finished:
            outputs = tf1.nest.map_structure(
                lambda zero, one: tf1.where(finished, zero, one), self._zeros, outputs
            )
            new_state = tf1.nest.map_structure(
                lambda old, new: _kept(finished, old, new), state, new_state
            )
        arrays = tf1.nest.map_structure(
            lambda array, one: array.write(time, one), arrays, outputs
        )
        return time + 1, arrays, new_state, inputs, now, lengths


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
