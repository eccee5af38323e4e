# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 8f9c6404d2e6cbf6).
"""The manager of a model_fn's checkpoints."""

import tensorflow as tf

from .model_fn_checkpoints import mend_checkpoint_list


class ModelFnCheckpointManager(tf.train.CheckpointManager):
    """A ``tf.train.CheckpointManager`` of a training, in an Estimator's directory.

    The Estimator's checkpoints are among its own: it restores the latest, and deletes
    them when their turn comes.

    Args:
      training: a ``ModelFnTraining``, whose step the interval counts.
      model_dir: the Estimator's directory; it may be new.
      max_to_keep: how many checkpoints stay; None for all.
      settings: more arguments of ``tf.train.CheckpointManager``.

    Raises:
      ValueError: there are checkpoints, but none that can be read.
    """

    def __init__(self, training, model_dir, max_to_keep, **settings):
        if training.is_chief:  # the others read the list that the chief has mended
            mend_checkpoint_list(model_dir)
        training.wait_for_all()
        super().__init__(
            training.checkpoint,
            model_dir,
            max_to_keep,
            checkpoint_name="model.ckpt",
            step_counter=training.global_step,
            **settings,
        )
