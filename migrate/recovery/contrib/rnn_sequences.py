"""Stacked bidirectional layers of ``tf.contrib.rnn``."""

import tensorflow.compat.v1 as tf1


def stack_bidirectional_dynamic_rnn(
    cells_fw,
    cells_bw,
    inputs,
    initial_states_fw=None,
    initial_states_bw=None,
    dtype=None,
    sequence_length=None,
    parallel_iterations=None,
    time_major=False,
    scope=None,
    swap_memory=False,
):
    """Runs bidirectional layers; each one's input is the last one's joined outputs.

    Args:
      cells_fw, cells_bw: lists of a cell for each layer.
      inputs: [batch, time, size], or [time, batch, size] if time_major.
      initial_states_fw, initial_states_bw: lists of a state for each layer; None for zeros.
      scope: the variable scope; None for "stack_bidirectional_rnn".
      dtype, sequence_length, parallel_iterations, time_major, swap_memory: as in
        ``tf.compat.v1.nn.bidirectional_dynamic_rnn``.

    Returns:
      The outputs of the last layer, and the final states of the layers: a tuple for
      each direction.
    """
    first_states = initial_states_fw or cells_fw, initial_states_bw or cells_bw
    lists = cells_fw, cells_bw, *first_states
    lengths = {len(one) if isinstance(one, list) else 0 for one in lists}
    if len(lengths) > 1 or 0 in lengths:
        raise ValueError("Lists of one length are needed: cells and initial states.")
    states = []
    with tf1.variable_scope(scope or "stack_bidirectional_rnn"):
        for layer, cells in enumerate(zip(cells_fw, cells_bw)):
            with tf1.variable_scope(f"cell_{layer}"):
                outputs, state = tf1.nn.bidirectional_dynamic_rnn(
                    *cells,
                    inputs,
                    initial_state_fw=(initial_states_fw or {layer: None})[layer],
                    initial_state_bw=(initial_states_bw or {layer: None})[layer],
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                    swap_memory=swap_memory,
                    time_major=time_major,
                )
                inputs = tf1.concat(outputs, 2)
            states.append(state)
    return (inputs, *zip(*states))
