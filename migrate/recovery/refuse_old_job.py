"""A stop where an Estimator's job would be begun anew in silence."""

import sys

import tensorflow as tf


def refuse_old_job(model_dir):
    """Does nothing, unless ``tf.estimator`` saved a job in ``model_dir``.

    Raises:
      ValueError: it did, and ``BackupAndRestore`` cannot go on from its checkpoints.
    """
    path = tf.train.latest_checkpoint(model_dir)
    if path is None or "global_step" not in dict(tf.train.list_variables(path)):
        return
    raise ValueError(
        f"{path} was written by tf.estimator, and BackupAndRestore cannot go on from "
        "it. To begin anew, train in a new directory. To go on, migrate the old "
        "program with --recovery checkpoint-manager, and train in the directory that "
        f"this makes: estimator-migrate checkpoint {model_dir} NEW_DIRECTORY --for "
        f"{sys.argv[0]}"
    )
