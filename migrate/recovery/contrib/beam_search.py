"""Beam search of ``tf.contrib.seq2seq``."""

import collections
import math

import tensorflow.compat.v1 as tf1

from .decoding import SequenceDecoder


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """Returns the ids of each final beam from its first step, int32 [time, batch, beams].

    Args:
      step_ids: the ids of each step, [time, batch, beams].
      parent_ids: for each of these, the beam of the previous step that it continues.
      max_sequence_lengths: [batch]; end_token fills the steps after it.
      end_token: the id that ends a sequence; fills all steps after its first occurrence.
      name: the name scope; None for "gather_tree".
    """
    with tf1.name_scope(name, "gather_tree"):
        steps, _, width = tf1.unstack(tf1.shape(parent_ids))
        mask = tf1.sequence_mask(max_sequence_lengths, steps)
        inside = tf1.transpose(mask)[..., None]
        last = tf1.zeros_like(parent_ids[0]) + tf1.range(width)

        def before(beams, here):
            parents, is_inside = here
            origins = tf1.gather(parents, beams, batch_dims=1)
            return tf1.where_v2(is_inside, origins, beams)

        beams = tf1.scan(before, (parent_ids, inside), last, reverse=True)
        beams = tf1.concat([beams[1:], last[None]], 0)
        ids = tf1.gather(step_ids, beams, batch_dims=2)
        is_end = tf1.cast(tf1.equal(ids, end_token) & inside, tf1.int32)
        is_after_end = tf1.cumsum(is_end, exclusive=True) > 0
        return tf1.where_v2(inside & ~is_after_end, ids, end_token)


def tile_batch(t, multiplier, name=None):
    """Returns tensors that repeat each row of the batch, [batch * multiplier, ...].

    Args:
      t: tensors [batch, ...], in any structure.
      multiplier: how often to repeat a row, an int.
      name: the name scope; None for "tile_batch".

    Raises:
      ValueError: a tensor's rank is unknown, or 0.
    """

    def repeat_rows(tensor):
        tensor = tf1.convert_to_tensor(tensor)
        if not tensor.shape.rank:
            raise ValueError(f"A tensor with a batch is needed: {tensor}.")
        return tf1.repeat(tensor, multiplier, 0)

    with tf1.name_scope(name, "tile_batch"):
        return tf1.nest.map_structure(repeat_rows, t)


BeamSearchDecoderState = collections.namedtuple(
    "BeamSearchDecoderState",
    ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
)
BeamSearchDecoderOutput = collections.namedtuple(
    "BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids")
)
FinalBeamSearchDecoderOutput = collections.namedtuple(
    "FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output")
)


class BeamSearchDecoder(SequenceDecoder):
    """Decodes by beam search: keeps the beams with the best scores at each step.

    The memory of an attention mechanism must be tiled by ``tile_batch`` before.

    Args:
      cell: a recurrent cell.
      embedding: a function of ids, or the embeddings, [ids, size].
      start_tokens: the first ids, [batch].
      end_token: the id that ends a sequence, a scalar.
      initial_state: the cell's first state, with batch * beam_width rows.
      beam_width: how many sequences to keep for each row, an int.
      output_layer: a layer applied to the cell's outputs; None for none.
      length_penalty_weight: a float; 0 for no penalty.
      coverage_penalty_weight: a float; 0 for no penalty of unattended memory.
      reorder_tensor_arrays: whether to return the state's TensorArrays as reordered tensors.

    Raises:
      ValueError: start_tokens is not a vector or end_token not a scalar.
    """

    tracks_own_finished = True

    def __init__(
        self,
        cell,
        embedding,
        start_tokens,
        end_token,
        initial_state,
        beam_width,
        output_layer=None,
        length_penalty_weight=0.0,
        coverage_penalty_weight=0.0,
        reorder_tensor_arrays=True,
    ):
        self._cell = cell
        self._output_layer = output_layer
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._embedding_fn = embedding
        if not callable(embedding):
            self._embedding_fn = lambda ids: tf1.nn.embedding_lookup(embedding, ids)
        start_tokens = tf1.convert_to_tensor(start_tokens, tf1.int32)
        self._end_token = tf1.convert_to_tensor(end_token, tf1.int32)
        if (start_tokens.shape.rank, self._end_token.shape.rank) != (1, 0):
            raise ValueError("start_tokens must be a vector, end_token a scalar.")
        self.batch_size = tf1.size(start_tokens)
        self._start_inputs = self._embedding_fn(
            tf1.tile(start_tokens[:, None], [1, beam_width])
        )
        self._initial_cell_state = tf1.nest.map_structure(self._split, initial_state)
        self.output_size = BeamSearchDecoderOutput(*[tf1.TensorShape([beam_width])] * 3)
        dtype = tf1.nest.flatten(self._initial_cell_state)[0].dtype
        self.output_dtype = BeamSearchDecoderOutput(dtype, tf1.int32, tf1.int32)

    def initialize(self, name=None):
        state = self._initial_cell_state
        dtype = tf1.nest.flatten(state)[0].dtype
        shape = [self.batch_size, self._beam_width]
        # All beams begin equal: only the first may be continued.
        is_other = tf1.zeros(shape, tf1.int32) + tf1.range(self._beam_width) > 0
        state = BeamSearchDecoderState(
            cell_state=state,
            log_probs=tf1.where(
                is_other,
                tf1.fill(shape, dtype.as_numpy_dtype(-math.inf)),
                tf1.zeros(shape, dtype),
            ),
            finished=is_other,
            lengths=tf1.zeros(shape, tf1.int64),
            accumulated_attention_probs=self._attention_probs(state),
        )
        return is_other, self._start_inputs, state

    def step(self, time, inputs, state, name=None):
        with tf1.name_scope(name, "BeamSearchDecoderStep"):
            cell_state = tf1.nest.map_structure(self._merge, state.cell_state)
            inputs = tf1.nest.map_structure(self._merge, inputs)
            logits, cell_state = self._cell(inputs, cell_state)
            logits = tf1.nest.map_structure(self._split, logits)
            cell_state = tf1.nest.map_structure(self._split, cell_state)
            if self._output_layer is not None:
                logits = self._output_layer(logits)
            output, state = self._select_beams(logits, cell_state, state)
            inputs = tf1.cond(
                tf1.reduce_all(state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, state, inputs, state.finished

    def _select_beams(self, logits, cell_state, before):
        """Returns the output of the beams with the best scores, and their state."""
        ids = logits.shape.as_list()[-1] or tf1.shape(logits)[-1]
        is_end = tf1.equal(tf1.range(ids), self._end_token)
        end_log_probs = tf1.where(
            is_end, tf1.zeros([ids], logits.dtype), tf1.fill([ids], logits.dtype.min)
        )
        finished = before.finished[..., None]
        log_probs = before.log_probs[..., None] + tf1.where_v2(
            finished, end_log_probs, tf1.nn.log_softmax(logits)
        )
        growth = tf1.cast(~(finished | is_end), tf1.int64)
        attended = self._attention_probs(cell_state)
        if self._coverage_penalty_weight != 0.0:
            attended *= tf1.cast(~finished, attended.dtype)
            attended += before.accumulated_attention_probs
        scores = self._scores(
            log_probs, before.lengths[..., None] + growth, before.finished, attended
        )
        scores, places = tf1.nn.top_k(
            tf1.reshape(scores, [self.batch_size, self._beam_width * ids]),
            self._beam_width,
        )
        words, parents = places % ids, places // ids

        def gather_parents(value):
            if isinstance(value, tf1.TensorArray) or value.shape.rank < 2:
                return value
            return tf1.gather(value, parents, batch_dims=1)

        was_finished = gather_parents(before.finished)
        state = BeamSearchDecoderState(
            cell_state=tf1.nest.map_structure(gather_parents, cell_state),
            log_probs=tf1.gather(
                tf1.reshape(log_probs, [self.batch_size, self._beam_width * ids]),
                places,
                batch_dims=1,
            ),
            finished=was_finished | tf1.equal(words, self._end_token),
            lengths=gather_parents(before.lengths) + tf1.cast(~was_finished, tf1.int64),
            accumulated_attention_probs=tf1.nest.map_structure(
                gather_parents, attended
            ),
        )
        return BeamSearchDecoderOutput(scores, words, parents), state

    def _scores(self, log_probs, lengths, finished, attended):
        weight = self._length_penalty_weight
        penalty = (5.0 + tf1.cast(lengths, tf1.float32)) ** weight / 6.0**weight
        scores = log_probs / tf1.cast(penalty, log_probs.dtype)
        if self._coverage_penalty_weight == 0.0:
            return scores
        attended = tf1.where(
            tf1.equal(attended, 0.0), tf1.ones_like(attended), attended
        )
        coverage = tf1.reduce_sum(tf1.log(tf1.minimum(attended, 1.0)), 2)
        coverage *= tf1.cast(finished, coverage.dtype) * self._coverage_penalty_weight
        return scores + coverage[..., None]

    def _attention_probs(self, cell_state):
        """Returns a state's alignments, [batch, beams, time]; () without a penalty."""
        if self._coverage_penalty_weight == 0.0:
            return ()
        states = [cell_state] if hasattr(cell_state, "alignments") else cell_state
        alignments = [one.alignments for one in states if hasattr(one, "alignments")]
        if not alignments:
            raise ValueError("A coverage penalty needs a cell with attention.")
        means = [
            tf1.add_n(one) / len(one) if isinstance(one, tuple) else one
            for one in alignments
        ]
        return tf1.add_n(means) / len(means)

    def finalize(self, outputs, final_state, sequence_lengths):
        lengths = tf1.cast(tf1.reduce_max(final_state.lengths, 1), tf1.int32)
        ids = gather_tree(
            outputs.predicted_ids, outputs.parent_ids, lengths, self._end_token
        )
        if self._reorder_tensor_arrays:
            cell_state = tf1.nest.map_structure(
                lambda one: self._reorder_history(
                    one, outputs.parent_ids, final_state.lengths
                ),
                final_state.cell_state,
            )
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def _reorder_history(self, value, parent_ids, lengths):
        """Returns a TensorArray as a tensor, its rows in the order of the final beams."""
        if not isinstance(value, tf1.TensorArray) or not self._is_reordered(value):
            return value
        value = value.stack()
        shape, width = tf1.shape(parent_ids), self._beam_width
        beams = tf1.zeros_like(parent_ids) + tf1.range(width)
        longest = tf1.cast(tf1.reduce_max(lengths, 1), tf1.int32)
        tree = gather_tree(beams, parent_ids, longest, width + 1)
        inside = tf1.transpose(tf1.sequence_mask(lengths, shape[0]), [2, 0, 1])
        by_beam = tf1.reshape(value, tf1.concat([shape, [-1]], 0))
        rows = tf1.gather(by_beam, tf1.where(inside, tree, beams), batch_dims=2)
        return tf1.reshape(rows, tf1.shape(value))

    def _is_reordered(self, array):
        """Whether contrib reorders an array: not if its shape is [batch * beams, n]."""
        sizes, batch = array.element_shape, tf1.get_static_value(self.batch_size)
        if not sizes.rank:
            return False
        rows, second = (*sizes.as_list(), None)[:2]
        if batch is None or rows is None:
            return True
        is_split = second is None or (rows, second) == (batch, self._beam_width)
        return rows == batch * self._beam_width and is_split

    def _merge(self, value):
        """Returns a tensor [batch, beams, ...] as [batch * beams, ...]."""
        if isinstance(value, tf1.TensorArray) or value.shape.rank < 2:
            return value
        batch, _, *sizes = value.shape.as_list()
        rows = tf1.reshape(value, tf1.concat([[-1], tf1.shape(value)[2:]], 0))
        return tf1.ensure_shape(rows, [batch and batch * self._beam_width, *sizes])

    def _split(self, value):
        """Returns a tensor [batch * beams, ...] as [batch, beams, ...]."""
        if isinstance(value, tf1.TensorArray) or value.shape.rank < 1:
            return value
        width, (rows, *sizes) = self._beam_width, value.shape.as_list()
        beams = tf1.reshape(value, tf1.concat([[-1, width], tf1.shape(value)[1:]], 0))
        return tf1.ensure_shape(beams, [rows and rows // width, width, *sizes])
