"""Labels that are the names of classes."""

import tensorflow as tf


def class_ids(labels, names):
    """Returns the places of labels among the names of the classes, [batch].

    Args:
      labels: a tensor of strings, [batch] or [batch, 1].
      names: a list of strings.

    Raises:
      tf.errors.InvalidArgumentError: a label is none of them.
    """
    is_name = tf.equal(tf.reshape(labels, [-1, 1]), tf.constant(names))
    is_known = tf.reduce_all(tf.reduce_any(is_name, 1))
    with tf.control_dependencies(
        [tf.debugging.Assert(is_known, ["A label is not in label_vocabulary.", labels])]
    ):
        return tf.argmax(is_name, 1)
