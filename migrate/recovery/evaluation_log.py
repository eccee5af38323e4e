"""The metrics of an evaluation for TensorBoard, as an Estimator wrote them."""

import os

import numpy as np
import tensorflow as tf

from migrate.recovery.event_writer import event_writer


class EvaluationLog(tf.keras.callbacks.Callback):
    """Writes the metrics that ``evaluate`` gives, at the step of the training.

    Args:
      model_dir: a path; TensorBoard finds the metrics in its ``eval`` or ``eval_NAME``.
      name: tells apart evaluations on several datasets; None or a string.
    """

    def __init__(self, model_dir, name=None):
        super().__init__()
        self.directory = os.path.join(model_dir, f"eval_{name}" if name else "eval")

    def on_test_end(self, logs=None):
        summary = tf.compat.v1.Summary()
        for tag, value in logs.items():
            if np.ndim(value) == 0:
                summary.value.add(tag=tag, simple_value=value)
        writer = event_writer(self.directory)
        writer.add_summary(summary, int(self.model.optimizer.iterations.numpy()))
        writer.flush()
