# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 9832880efb85a81f).
"""The decoders of ``tf.contrib.seq2seq`` and the loop that runs them."""

import collections

import tensorflow.compat.v1 as tf1


class SequenceDecoder:
    """A base class of decoders, which decode one step at a time.

    ``batch_size``, ``output_size`` and ``output_dtype`` are read after ``initialize()``;
    the last two have the structure of the outputs.
    """

    tracks_own_finished = False
    """Whether ``step`` also returns True for sequences that ended before."""

    def initialize(self, name=None):
        """Returns which sequences have ended, the first inputs and the first state."""
        raise NotImplementedError

    def step(self, time, inputs, state, name=None):
        """Returns outputs, next state, next inputs, and which sequences have ended."""
        raise NotImplementedError

    def finalize(self, outputs, final_state, sequence_lengths):
        """Returns the outputs and state that ``dynamic_decode`` returns."""
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
      output_time_major: whether the outputs are [time, batch, ...], not [batch, time, ...].
      impute_finished: whether an ended sequence keeps its state and outputs zeros.
      maximum_iterations: the largest number of steps, an int; None for no limit.
      parallel_iterations, swap_memory: as for ``tf.compat.v1.while_loop``.
      scope: the variable scope; None for "decoder".

    Raises:
      TypeError: decoder is no SequenceDecoder.
      ValueError: maximum_iterations is not a scalar.
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
        loop = _DecodingLoop(decoder, impute_finished)
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


class _DecodingLoop:
    """The body and the output arrays of ``dynamic_decode``'s loop."""

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
        """Returns the empty TensorArrays for the outputs of all steps."""
        return tf1.nest.map_structure(
            lambda zero, dtype: tf1.TensorArray(
                dtype, size=0, dynamic_size=True, element_shape=zero.shape
            ),
            self._zeros,
            self._decoder.output_dtype,
        )

    def step(self, time, arrays, state, inputs, finished, lengths):
        """Takes a step; returns the loop variables of the next one."""
        outputs, new_state, inputs, ended = self._decoder.step(time, inputs, state)
        if not self._decoder.tracks_own_finished:
            ended = tf1.logical_or(ended, finished)
        lengths = tf1.where(finished, lengths, tf1.fill(tf1.shape(lengths), time + 1))
        if self._impute_finished:
            outputs = tf1.nest.map_structure(
                lambda zero, one: tf1.where(finished, zero, one), self._zeros, outputs
            )
            new_state = tf1.nest.map_structure(
                lambda old, new: _keep_finished(finished, old, new), state, new_state
            )
        arrays = tf1.nest.map_structure(
            lambda array, one: array.write(time, one), arrays, outputs
        )
        return time + 1, arrays, new_state, inputs, ended, lengths


def _keep_finished(finished, old, new):
    """Returns the new state, but the old one of sequences that have ended."""
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
    """Runs a cell on the inputs of a helper, which also samples the outputs.

    Args:
      cell: a recurrent cell.
      helper: a DecodingHelper.
      initial_state: the cell's first state.
      output_layer: a layer applied to the cell's outputs; None for none.
    """

    def __init__(self, cell, helper, initial_state, output_layer=None):
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self):
        return self._helper.batch_size

    @property
    def output_size(self):
        size = self._rnn_output_size()
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

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
