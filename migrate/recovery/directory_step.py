"""The step of the newest checkpoint in a directory."""

import tensorflow.compat.v1 as tf1


def step_in_directory(checkpoint_dir):
    """Returns the step of the newest checkpoint in a directory; 0 where it has none."""
    try:
        reader = tf1.train.load_checkpoint(checkpoint_dir)
        return reader.get_tensor("global_step")
    except (ValueError, tf1.errors.OpError):
        return 0
