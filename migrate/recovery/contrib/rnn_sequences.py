"""What ``tf.contrib.rnn`` did with whole sequences."""

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
    """Runs layers in both directions, each over the joined outputs of the one below.

    Args:
      cells_fw, cells_bw: lists of a cell for each layer.
      inputs: [batch, time, size], or [time, batch, size] if time_major.
      initial_states_fw, initial_states_bw: lists of a state for each layer; None for zeros.
      scope: the variables' scope; "stack_bidirectional_rnn" where it is None.
      dtype, sequence_length, parallel_iterations, time_major, swap_memory: as in
        ``tf.compat.v1.nn.bidirectional_dynamic_rnn``.

    Returns:
      The outputs of the last layer, and the tuples of all final states.
    """
    lists = (
        cells_fw,
        cells_bw,
        initial_states_fw or cells_fw,
        initial_states_bw or cells_bw,
    )
    if not all(
        isinstance(one, list) and len(one) == len(cells_fw) > 0 for one in lists
    ):
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


def transpose_batch_time(x):
    """Returns a tensor of two dimensions or more with its first two exchanged."""
    x = tf1.convert_to_tensor(x)
    if x.shape.rank is not None and x.shape.rank < 2:
        raise ValueError(f"Two dimensions are needed: {x}.")
    turned = tf1.transpose(x, tf1.concat([[1, 0], tf1.range(2, tf1.rank(x))], 0))
    if x.shape.rank is not None:
        turned.set_shape([x.shape[1], x.shape[0], *x.shape[2:]])
    return turned


def select_last_activations(activations, sequence_lengths):
    """Returns the activations at the last step of each sequence, [batch_size, k].

    Args:
      activations: floats of the shape [batch_size, padded_length, k].
      sequence_lengths: integers of the shape [batch_size]; None where all are padded_length.
    """
    with tf1.name_scope(
        "select_last_activations", values=[activations, sequence_lengths]
    ):
        batch_size, padded_length, size = tf1.unstack(tf1.shape(activations))
        if sequence_lengths is None:
            sequence_lengths = padded_length
        places = tf1.range(batch_size) * padded_length + sequence_lengths - 1
        found = tf1.gather(tf1.reshape(activations, [-1, size]), places)
        found.set_shape([activations.shape[0], activations.shape[2]])
        return found
