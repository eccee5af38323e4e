"""The last outputs of a recurrent network, as ``tf.contrib.learn`` took them."""

import tensorflow.compat.v1 as tf1


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
