"""A writer for TensorBoard that works outside graphs and without ``tensorboard``."""

import functools
import time

import tensorflow as tf


@functools.cache
def event_writer(directory):
    """Returns the ``tf.compat.v1.summary.FileWriter`` of a directory, one a process."""
    # It asks for a graph. That of tf.summary asks for the package tensorboard, which
    # TensorFlow 2.21 does not install.
    with tf.Graph().as_default():
        return tf.compat.v1.summary.FileWriter(
            directory,
            # The file's name has the second only: a start within it would empty the file.
            filename_suffix=f".{time.time_ns()}",
        )
