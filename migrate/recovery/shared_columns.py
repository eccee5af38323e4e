"""``shared_embedding_columns`` in a graph of its own."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def tf1_shared_embedding_columns(*args, **settings):
    """``shared_embedding_columns`` of ``tf.compat.v1``, which asks for a graph.

    What it returns belongs to none.
    """
    with tf.Graph().as_default():
        return tf1.feature_column.shared_embedding_columns(*args, **settings)
