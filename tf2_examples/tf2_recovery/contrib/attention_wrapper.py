# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content ee19262ab2ddda4d).
"""``AttentionWrapper`` of ``tf.contrib.seq2seq``, a cell that attends to a memory."""

import collections

import tensorflow.compat.v1 as tf1

_FIELDS = "cell_state attention time alignments alignment_history attention_state"


class AttentionWrapperState(collections.namedtuple("AttentionWrapperState", _FIELDS)):
    """The state of an AttentionWrapper."""

    def clone(self, **fields):
        """Returns a state with other fields, of the same static shapes."""

        def with_shape(old, new):
            are_tensors = tf1.is_tensor(old) and tf1.is_tensor(new)
            return tf1.ensure_shape(new, old.shape) if are_tensors else new

        return tf1.nest.map_structure(with_shape, self, self._replace(**fields))


class AttentionWrapper:
    """A recurrent cell whose inputs include the attention of the last step.

    Args:
      cell: the wrapped cell.
      attention_mechanism: an ``AttentionMechanism``, or a list of them.
      attention_layer_size: the size of a dense layer of output and context, an int or a
        list with one for each mechanism; None for the context itself.
      alignment_history: whether the state keeps the alignments of all steps.
      cell_input_fn: takes the inputs and the last attention, returns the cell's inputs;
        None concatenates them.
      output_attention: whether to output the attention, not the cell's output.
      initial_cell_state: the cell's state in zero_state(); None for the cell's own.
      name: of the variable scope; None for "attention_wrapper".
      attention_layer: a layer for each mechanism, in place of attention_layer_size.
      attention_fn: takes mechanism, cell's output, attention state and layer; returns
        attention, alignments and the next attention state.
      dtype: ignored: the cell and the layers have their own.

    Raises:
      ValueError: the numbers of layers and mechanisms differ.
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
        mechanisms = _as_list(attention_mechanism)
        has_sizes = attention_layer_size is not None
        if has_sizes and attention_layer is not None:
            raise ValueError("attention_layer_size and attention_layer are set.")
        given = attention_layer_size if has_sizes else attention_layer
        layers = None if given is None else _as_list(given)
        if layers is not None and len(layers) != len(mechanisms):
            raise ValueError(f"One layer for each mechanism is needed: {mechanisms}.")
        if has_sizes:
            layers = [
                tf1.layers.Dense(
                    size, name="attention_layer", use_bias=False, dtype=mechanism.dtype
                )
                for size, mechanism in zip(layers, mechanisms)
            ]
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
        """Returns the initial state, an AttentionWrapperState."""
        with tf1.control_dependencies(self._batch_checks(batch_size)):
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
        """Returns the initial state for inputs, or for a batch_size and a dtype."""
        if inputs is not None:
            batch_size, dtype = tf1.shape(inputs)[0], inputs.dtype
        return self.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        """Returns the output and the next state; the first call makes the variables."""
        reuse = None if self._scope is None else True
        if self._scope is None:
            with tf1.variable_scope(scope, self._name) as self._scope:
                pass
        with tf1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False):
            return self.call(inputs, state)

    def call(self, inputs, state):
        """Returns the output and the next state; ``__call__`` enters the scope.

        Raises:
          TypeError: state is no AttentionWrapperState.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"No AttentionWrapperState: {state}.")
        inputs = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(inputs, state.cell_state)
        with tf1.control_dependencies(self._batch_checks(tf1.shape(output)[0])):
            output = tf1.identity(output)
        before, histories = state.attention_state, state.alignment_history
        if not self._is_multi:
            before, histories = [before], [histories]
        layers = self._attention_layers or [None] * len(self._attention_mechanisms)
        results = [
            self._attention_fn(mechanism, output, one, layer)
            for mechanism, one, layer in zip(self._attention_mechanisms, before, layers)
        ]
        attentions, alignments, states = zip(*results)
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

    def _batch_checks(self, batch_size):
        """Returns assertions that the memories have this batch size."""
        message = "The memory is of another batch size: a beam needs tile_batch."
        checks = [
            tf1.debugging.assert_equal(batch_size, one.batch_size, message=message)
            for one in self._attention_mechanisms
        ]
        return [check for check in checks if check is not None]


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _attention(mechanism, output, state, layer):
    alignments, state = mechanism(output, state=state)
    context = tf1.matmul(alignments[:, None], mechanism.values)[:, 0]
    if layer is not None:
        context = layer(tf1.concat([output, context], 1))
    return context, alignments, state
