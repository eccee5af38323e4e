"""Keras ``fit`` that saves and resumes as a ``tf.estimator.Estimator`` did."""

import os
import re
import time

import tensorflow as tf


class CheckpointRecovery(tf.keras.callbacks.Callback):
    """Saves while ``fit`` runs, and restores the newest checkpoint that can be read.

    Saves when training starts, every ``manager.checkpoint_interval`` steps or
    ``save_secs`` seconds, and when it ends; an exception ends it without a save.

    Args:
      manager: a ``tf.train.CheckpointManager`` of
        ``tf.train.Checkpoint(model=..., optimizer=...)``.
      save_secs: seconds between two saves; None to save by steps alone.
    """

    def __init__(self, manager, save_secs=None):
        super().__init__()
        self.manager = manager
        self.save_secs = save_secs
        self._saved_step = None
        self._saved_time = time.monotonic()

    @property
    def step(self):
        """The number of training steps that the model has seen, an int."""
        return int(self.manager.checkpoint.optimizer.iterations.numpy())

    def restore(self):
        """Restores the newest readable checkpoint and returns its step, 0 if none."""
        checkpoint = self.manager.checkpoint
        # Keras 3 creates the slots here; a restore finds no place for them before.
        checkpoint.optimizer.build(checkpoint.model.trainable_variables)
        problem = None
        for path in self._newest_first():
            try:
                names = tf.train.load_checkpoint(path).get_variable_to_dtype_map()
                if "_CHECKPOINTABLE_OBJECT_GRAPH" not in names:
                    raise ValueError(
                        f"{path} was written by tf.estimator. Its weights do not fit "
                        "by name: convert it, or train in a new directory."
                    )
                checkpoint.restore(path).assert_consumed()
            except tf.errors.OpError as error:
                problem = error
                tf.get_logger().warning("Cannot read %s (%s)", path, error)
                continue
            self._saved_step = self.step
            tf.get_logger().info("Restored %s at step %d", path, self.step)
            return self.step
        if problem is not None:  # never train from scratch over what is there
            raise problem
        return self.step

    def _newest_first(self):
        if self.manager.checkpoints:
            return self.manager.checkpoints[::-1]
        # The "checkpoint" file that lists them is lost or empty.
        files = tf.io.gfile.glob(os.path.join(self.manager.directory, "*.index"))
        numbered = [(re.search(r"-(\d+)\.index$", file), file) for file in files]
        steps = [(int(match[1]), file) for match, file in numbered if match]
        return [file[: -len(".index")] for _, file in sorted(steps, reverse=True)]

    def _save(self):
        if self.step != self._saved_step:
            self.manager.save(checkpoint_number=self.step, check_interval=False)
        self._saved_step = self.step
        self._saved_time = time.monotonic()

    def on_train_begin(self, logs=None):
        self._save()

    def on_train_batch_end(self, batch, logs=None):
        every = self.manager.checkpoint_interval
        by_step = every is not None and self.step >= self._saved_step + every
        elapsed = time.monotonic() - self._saved_time
        if by_step or (self.save_secs is not None and elapsed >= self.save_secs):
            self._save()

    def on_train_end(self, logs=None):
        self._save()
