"""Lets a job start again whose list of checkpoints a full disk or a lost cache emptied."""

import os

import tensorflow as tf


def drop_empty_checkpoint_list(directory):
    """Removes the file ``checkpoint``, a directory's list of checkpoints, if it is empty.

    ``tf.train.CheckpointManager(..., directory)`` would raise a ValueError. Where the
    file is not there, the recovery finds the checkpoints by their names.

    Args:
      directory: the manager's; it may be new.
    """
    path = os.path.join(directory, "checkpoint")
    if tf.io.gfile.exists(path) and not tf.io.gfile.stat(path).length:
        tf.get_logger().warning("%s is empty: removed", path)
        tf.io.gfile.remove(path)
