# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content a2ec262affae6f76).
"""Attention of ``tf.contrib.seq2seq``."""

import collections
import math

import tensorflow.compat.v1 as tf1


class AttentionMechanism:
    """What an AttentionWrapper asks where to look; to derive mechanisms from."""

    @property
    def alignments_size(self):
        raise NotImplementedError

    @property
    def state_size(self):
        raise NotImplementedError


class _OverMemory(AttentionMechanism):
    """Keeps a memory and its keys.

    Args:
      query_layer, memory_layer: layers over the query and the memory.
      memory: [batch, time, ...].
      probability_fn: takes the scores, [batch, time], and the state, returns alignments.
      memory_sequence_length: how much of each row of the memory counts; None for all.
      score_mask_value: the score of what does not count; None for minus infinity.
      custom_key_value_fn: takes and returns the keys and the values.
    """

    def __init__(
        self,
        query_layer,
        memory,
        probability_fn,
        memory_sequence_length=None,
        memory_layer=None,
        score_mask_value=None,
        custom_key_value_fn=None,
    ):
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        if score_mask_value is None:
            score_mask_value = -math.inf
        lengths = memory_sequence_length

        def probabilities(score, state):
            if lengths is not None:
                with tf1.control_dependencies([tf1.debugging.assert_positive(lengths)]):
                    inside = tf1.sequence_mask(lengths, tf1.shape(score)[1])
                outside = score_mask_value * tf1.ones_like(score)
                score = tf1.where(inside, score, outside)
            return probability_fn(score, state)

        self._probability_fn = probabilities
        values = tf1.convert_to_tensor(memory)
        if lengths is not None:
            mask = tf1.sequence_mask(lengths, tf1.shape(values)[1], values.dtype)
            values *= mask[(..., *[None] * (values.shape.rank - 2))]
        keys = memory_layer(values)
        if custom_key_value_fn is not None:
            keys, values = custom_key_value_fn(keys, values)
        self._keys, self._values = keys, values

    @property
    def memory_layer(self):
        return self._memory_layer

    @property
    def query_layer(self):
        return self._query_layer

    @property
    def values(self):
        return self._values

    @property
    def keys(self):
        return self._keys

    @property
    def batch_size(self):
        return self._size(0)

    @property
    def alignments_size(self):
        return self._size(1)

    @property
    def state_size(self):
        return self.alignments_size

    def _size(self, axis):
        return self._keys.shape.as_list()[axis] or tf1.shape(self._keys)[axis]

    def initial_alignments(self, batch_size, dtype):
        return tf1.zeros([batch_size, self.alignments_size], dtype)

    def initial_state(self, batch_size, dtype):
        return self.initial_alignments(batch_size, dtype)


class BahdanauAttention(_OverMemory):
    """Scores by a small network over the sum of query and key.

    Args:
      num_units: the size of query and keys.
      memory, memory_sequence_length, score_mask_value, custom_key_value_fn: as of
        _OverMemory.
      normalize: whether the weights of the score are normalized.
      probability_fn: takes the scores, [batch, time]; None for the softmax.
      dtype: of the layers; None for float32.
      name: has no effect.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="BahdanauAttention",
    ):
        probability_fn = probability_fn or tf1.nn.softmax
        self._num_units, self._normalize = num_units, normalize
        super().__init__(
            _projection(num_units, "query_layer", dtype),
            memory,
            lambda score, _: probability_fn(score),
            memory_sequence_length,
            _projection(num_units, "memory_layer", dtype),
            score_mask_value,
            custom_key_value_fn,
        )

    def __call__(self, query, state):
        """Returns the alignments, [batch, time], and the next state, which they are."""
        with tf1.variable_scope(None, "bahdanau_attention", [query]):
            query = self.query_layer(query) if self.query_layer else query
            units, dtype = [self._num_units], query.dtype
            weights = tf1.get_variable("attention_v", units, dtype)
            hidden = self._keys + query[:, None]
            if self._normalize:
                start = tf1.constant_initializer(self._num_units**-0.5)
                scale = tf1.get_variable("attention_g", [], dtype, start)
                start = tf1.zeros_initializer()
                hidden += tf1.get_variable("attention_b", units, dtype, start)
                norm = tf1.rsqrt(tf1.reduce_sum(tf1.square(weights)))
                weights = scale * weights * norm
            score = tf1.reduce_sum(weights * tf1.tanh(hidden), 2)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongAttention(_OverMemory):
    """Scores by the product of query and key.

    Args:
      num_units: the size of the query and of the keys.
      scale: whether the score is scaled by a variable.
      the others: as of BahdanauAttention.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="LuongAttention",
    ):
        probability_fn = probability_fn or tf1.nn.softmax
        self._num_units, self._scale = num_units, scale
        super().__init__(
            None,
            memory,
            lambda score, _: probability_fn(score),
            memory_sequence_length,
            _projection(num_units, "memory_layer", dtype),
            score_mask_value,
            custom_key_value_fn,
        )

    def __call__(self, query, state):
        """Returns the alignments, [batch, time], and the next state, which they are.

        Raises:
          ValueError: the query is of another size than the keys.
        """
        if query.shape.as_list()[-1] != self._keys.shape.as_list()[-1]:
            raise ValueError(f"Query {query}, but keys {self._keys}.")
        with tf1.variable_scope(None, "luong_attention", [query]):
            score = tf1.matmul(query[:, None], self._keys, transpose_b=True)[:, 0]
            if self._scale:
                start = tf1.ones_initializer
                score *= tf1.get_variable("attention_g", [], query.dtype, start)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def _projection(units, name, dtype):
    dtype = dtype or tf1.float32
    return tf1.layers.Dense(units, name=name, use_bias=False, dtype=dtype)


_FIELDS = (
    "cell_state",
    "attention",
    "time",
    "alignments",
    "alignment_history",
    "attention_state",
)


class AttentionWrapperState(collections.namedtuple("AttentionWrapperState", _FIELDS)):
    """The state of an AttentionWrapper."""

    def clone(self, **fields):
        """Returns a state with other fields, which take the shapes that are known."""

        def with_shape(old, new):
            are_tensors = tf1.is_tensor(old) and tf1.is_tensor(new)
            return tf1.ensure_shape(new, old.shape) if are_tensors else new

        return tf1.nest.map_structure(with_shape, self, self._replace(**fields))


class AttentionWrapper:
    """A recurrent cell whose input has what the last step attended to.

    Args:
      cell: the cell within.
      attention_mechanism: where to look, or a list of such.
      attention_layer_size: the size of a layer over output and context for each
        mechanism; None for the context itself.
      alignment_history: whether the state keeps the alignments of all steps.
      cell_input_fn: makes the cell's input of the input and the last attention; None
        to join them.
      output_attention: whether the attention is the output, not the cell's own.
      initial_cell_state: what zero_state() has for the cell; None for zeros.
      name: of the variables' scope; "attention_wrapper" where it is None.
      attention_layer: a layer for each mechanism, in place of attention_layer_size.
      attention_fn: returns attention, alignments and state of a mechanism, the cell's
        output, the state and the layer.
      dtype: has no effect: the cell within and the layers have theirs.

    Raises:
      ValueError: layers and mechanisms do not fit.
    """

    def __init__(
        self,
        cell,
        attention_mechanism,
        attention_layer_size=None,
        alignment_history=False,
        cell_input_fn=None,
        output_attention=True,
        initial_cell_state=None,
        name=None,
        attention_layer=None,
        attention_fn=None,
        dtype=None,
    ):
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = _listed(attention_mechanism)
        if attention_layer_size is not None:
            if attention_layer is not None:
                raise ValueError("attention_layer_size and attention_layer are set.")
            attention_layer = [
                tf1.layers.Dense(
                    size, name="attention_layer", use_bias=False, dtype=mechanism.dtype
                )
                for size, mechanism in zip(_listed(attention_layer_size), mechanisms)
            ]
            is_complete = len(_listed(attention_layer_size)) == len(mechanisms)
        else:
            is_complete = attention_layer is None or len(
                _listed(attention_layer)
            ) == len(mechanisms)
        if not is_complete:
            raise ValueError(f"One layer for each mechanism is needed: {mechanisms}.")
        layers = None if attention_layer is None else _listed(attention_layer)
        self._attention_layers = layers
        sizes = [mechanism.values.shape.as_list()[-1] for mechanism in mechanisms]
        if layers is not None:
            shapes = [[None, cell.output_size + size] for size in sizes]
            sizes = [
                layer.compute_output_shape(shape)[-1]
                for layer, shape in zip(layers, shapes)
            ]
        self._attention_layer_size = sum(int(size) for size in sizes)
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._attention_fn = attention_fn or _attention
        self._cell_input_fn = cell_input_fn or (
            lambda inputs, attention: tf1.concat([inputs, attention], -1)
        )
        self._alignment_history = alignment_history
        self._output_attention = output_attention
        self._initial_cell_state = initial_cell_state
        self._name, self._scope = name or "attention_wrapper", None

    @property
    def output_size(self):
        cell_size = self._cell.output_size
        return self._attention_layer_size if self._output_attention else cell_size

    @property
    def state_size(self):
        sizes = [one.alignments_size for one in self._attention_mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            attention=self._attention_layer_size,
            time=tf1.TensorShape([]),
            alignments=self._one_or_all(sizes),
            alignment_history=self._one_or_all(
                size if self._alignment_history else () for size in sizes
            ),
            attention_state=self._one_or_all(
                one.state_size for one in self._attention_mechanisms
            ),
        )

    def zero_state(self, batch_size, dtype):
        """Returns the first state, an AttentionWrapperState."""
        with tf1.control_dependencies(self._same_batch(batch_size)):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            cell_state = tf1.nest.map_structure(tf1.identity, cell_state)
        alignments = [
            one.initial_alignments(batch_size, dtype)
            for one in self._attention_mechanisms
        ]
        return AttentionWrapperState(
            cell_state=cell_state,
            attention=tf1.zeros([batch_size, self._attention_layer_size], dtype),
            time=tf1.zeros([], tf1.int32),
            alignments=self._one_or_all(alignments),
            alignment_history=self._one_or_all(
                (
                    tf1.TensorArray(
                        dtype, size=0, dynamic_size=True, element_shape=one.shape
                    )
                    if self._alignment_history
                    else ()
                )
                for one in alignments
            ),
            attention_state=self._one_or_all(
                one.initial_state(batch_size, dtype)
                for one in self._attention_mechanisms
            ),
        )

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Returns the first state, for a batch of inputs or a batch size and a type."""
        if inputs is not None:
            batch_size, dtype = tf1.shape(inputs)[0], inputs.dtype
        return self.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        """Returns the output and the next state; its variables are those of a layer."""
        reuse = None if self._scope is None else True
        if self._scope is None:
            with tf1.variable_scope(scope, self._name) as self._scope:
                pass
        with tf1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False):
            return self.call(inputs, state)

    def call(self, inputs, state):
        """Returns the output and the next state, in the scope of its variables.

        Raises:
          TypeError: state is no AttentionWrapperState.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"No AttentionWrapperState: {state}.")
        inputs = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(inputs, state.cell_state)
        with tf1.control_dependencies(self._same_batch(tf1.shape(output)[0])):
            output = tf1.identity(output)
        before, histories = state.attention_state, state.alignment_history
        if not self._is_multi:
            before, histories = [before], [histories]
        layers = self._attention_layers or [None] * len(self._attention_mechanisms)
        found = [
            self._attention_fn(mechanism, output, one, layer)
            for mechanism, one, layer in zip(self._attention_mechanisms, before, layers)
        ]
        attentions, alignments, states = zip(*found)
        if self._alignment_history:
            histories = [
                history.write(state.time, one)
                for history, one in zip(histories, alignments)
            ]
        attention = tf1.concat(attentions, 1)
        state = AttentionWrapperState(
            cell_state=cell_state,
            attention=attention,
            time=state.time + 1,
            alignments=self._one_or_all(alignments),
            alignment_history=self._one_or_all(histories),
            attention_state=self._one_or_all(states),
        )
        return (attention if self._output_attention else output), state

    def _one_or_all(self, values):
        values = tuple(values)
        return values if self._is_multi else values[0]

    def _same_batch(self, batch_size):
        """Checks that the batch is the memory's, which a beam search has to tile."""
        message = "The memory is of another batch size: a beam needs tile_batch."
        checks = [
            tf1.debugging.assert_equal(batch_size, one.batch_size, message=message)
            for one in self._attention_mechanisms
        ]
        return [check for check in checks if check is not None]


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _attention(mechanism, output, state, layer):
    alignments, state = mechanism(output, state=state)
    context = tf1.matmul(alignments[:, None], mechanism.values)[:, 0]
    if layer is not None:
        context = layer(tf1.concat([output, context], 1))
    return context, alignments, state
