"""A decoder that samples what its cell gives, as ``tf.contrib.seq2seq`` had it."""

import collections

import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_sequence_decoder import SequenceDecoder

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
