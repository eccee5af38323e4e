"""The loss of single steps for TensorBoard and the log, as an Estimator wrote it."""

import math
import time

import tensorflow as tf


class TrainingLog(tf.keras.callbacks.Callback):
    """Writes the loss of a step to TensorBoard and to the log; stops at a NaN loss.

    Args:
      directory: where TensorBoard finds the summaries, a path.
      summary_steps: steps between two summaries; None for none.
      log_steps: steps between two lines in the log; None for none.

    Raises:
      ArithmeticError: out of ``fit``, when the loss is not a number.
    """

    def __init__(self, directory, summary_steps=None, log_steps=None):
        super().__init__()
        self.summary_steps = summary_steps
        self.log_steps = log_steps
        with tf.Graph().as_default():  # this writer is made for graphs; tf.summary
            # needs the package tensorboard, which TensorFlow 2.21 does not install.
            self._writer = tf.compat.v1.summary.FileWriter(directory)

    def on_train_begin(self, logs=None):
        self._first = self._logged = self._step()
        self._logged_time = time.monotonic()

    def on_train_batch_begin(self, batch, logs=None):
        # Keras reports the mean since the last reset: of this one step, then.
        self.model.reset_metrics()

    def on_train_batch_end(self, batch, logs=None):
        step, loss = self._step(), logs["loss"]
        if self._due(step, self.summary_steps):
            value = tf.compat.v1.Summary.Value(tag="loss", simple_value=loss)
            self._writer.add_summary(tf.compat.v1.Summary(value=[value]), step)
        if self._due(step, self.log_steps):
            speed = (step - self._logged) / (time.monotonic() - self._logged_time)
            tf.get_logger().info(
                "loss = %g, step = %d (%.4g steps/sec)", loss, step, speed
            )
            self._logged, self._logged_time = step, time.monotonic()
        if math.isnan(loss):
            raise ArithmeticError(f"The loss is not a number at step {step}.")

    def on_train_end(self, logs=None):
        self._writer.flush()

    def _step(self):
        return int(self.model.optimizer.iterations.numpy())

    def _due(self, step, every):
        return bool(every) and (step - self._first - 1) % every == 0
