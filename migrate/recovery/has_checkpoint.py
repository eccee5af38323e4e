"""Whether a job has a checkpoint already."""

import os

import tensorflow as tf


def has_checkpoint(directory):
    """Returns whether a directory holds what a job can go on from.

    Args:
      directory: where a ``tf.train.CheckpointManager`` or ``BackupAndRestore`` saves,
        a str; it need not exist.
    """
    saved = ("*ckpt-[0-9]*.index", "*/*ckpt-[0-9]*.index", "*.weights.h5")
    paths = [os.path.join(directory, pattern) for pattern in saved]
    return any(tf.io.gfile.glob(path) for path in paths)
