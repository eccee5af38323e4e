"""Writes the log and the summaries of an Estimator while ``fit`` trains."""

import functools
import math
import time

import tensorflow as tf


@functools.cache
def event_writer(directory):
    """Returns the process's ``tf.compat.v1.summary.FileWriter`` for a directory."""
    # FileWriter needs a graph; that of tf.summary needs the package tensorboard.
    with tf.Graph().as_default():
        return tf.compat.v1.summary.FileWriter(
            directory,
            # By default a restart within the same second would overwrite the file.
            filename_suffix=f".{time.time_ns()}",
        )


class TrainingLog(tf.keras.callbacks.Callback):
    """A callback that writes the loss and the speed, and stops ``fit`` at a NaN loss.

    Args:
      directory: of the summaries, a path.
      summary_steps: steps between two summaries, an int; None for no summaries.
      log_steps: steps between two lines in the log, an int; None for no lines.
      tags: a dict from a metric of ``fit`` to its tag in TensorBoard; None for the loss.

    Raises:
      ArithmeticError: raised by ``fit`` when the loss is NaN.
    """

    def __init__(self, directory, summary_steps=None, log_steps=None, tags=None):
        super().__init__()
        self.summary_steps = summary_steps
        self.log_steps = log_steps
        self.directory = directory
        self.tags = tags or {"loss": "loss"}

    def on_train_begin(self, logs=None):
        self._step = int(self.model.optimizer.iterations.numpy())
        self._first = self._logged = self._step
        self._logged_time = time.monotonic()

    def on_train_batch_begin(self, batch, logs=None):
        step = self._step + 1
        if self._due(step, self.summary_steps) or self._due(step, self.log_steps):
            # Keras reports means since the last reset: log those of one step.
            self.model.reset_metrics()

    def on_train_batch_end(self, batch, logs=None):
        self._step = step = self._step + 1
        if math.isnan(logs["loss"]):
            raise ArithmeticError(f"The loss is not a number at step {step}.")
        if self._due(step, self.summary_steps):
            self._write({tag: logs[metric] for metric, tag in self.tags.items()})
        if self._due(step, self.log_steps):
            tf.get_logger().info("loss = %g, step = %d", logs["loss"], step)
            seconds = time.monotonic() - self._logged_time
            if step > self._first + 1:  # the first step includes tracing
                self._write({"global_step/sec": (step - self._logged) / seconds})
            self._logged, self._logged_time = step, time.monotonic()

    def on_train_end(self, logs=None):
        event_writer(self.directory).flush()

    def _write(self, values):
        summary = tf.compat.v1.Summary()
        for tag, value in values.items():
            summary.value.add(tag=tag, simple_value=value)
        event_writer(self.directory).add_summary(summary, self._step)

    def _due(self, step, every):
        return bool(every) and (step - self._first - 1) % every == 0
