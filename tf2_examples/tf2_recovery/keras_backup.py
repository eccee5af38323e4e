# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 39b9cf09d425fb3b).
"""What ``BackupAndRestore`` lacks: an end at a step, and a look at an old job."""

import sys

import tensorflow as tf


class StopAtStep(tf.keras.callbacks.Callback):
    """Ends ``fit`` when the optimizer has made ``last_step`` steps.

    Args:
      last_step: the step to stop at, an int, counted from the first step of the job.
    """

    def __init__(self, last_step):
        super().__init__()
        self.last_step = last_step

    def on_train_batch_end(self, batch, logs=None):
        if int(self.model.optimizer.iterations.numpy()) >= self.last_step:
            self.model.stop_training = True


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
