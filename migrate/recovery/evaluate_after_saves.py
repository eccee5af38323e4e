"""Evaluation while Keras ``fit`` runs, as ``train_and_evaluate`` did on one machine."""

import math
import time

import tensorflow as tf

from migrate.recovery.evaluation_log import EvaluationLog


class EvaluateAfterSaves(tf.keras.callbacks.Callback):
    """Evaluates after the saves of ``fit`` but the first, and when it ends.

    Stands behind the recovery among the callbacks. The metrics go to the log, and to
    TensorBoard by ``EvaluationLog``.

    Args:
      recovery: the ``CheckpointRecovery`` that saves.
      dataset: a ``tf.data.Dataset`` of (features, labels), in batches.
      steps: how many batches; None for all.
      throttle_secs: the least number of seconds between two evaluations, the last
        one aside.
      export: called after each evaluation with a dict of its metrics and the
        "global_step".
      name: tells apart evaluations on several datasets; None or a string.
    """

    def __init__(
        self,
        recovery,
        dataset,
        steps=100,
        throttle_secs=600,
        export=None,
        name=None,
    ):
        super().__init__()
        self.recovery, self.dataset = recovery, dataset
        self.steps, self.throttle_secs, self.export = steps, throttle_secs, export
        self._evaluation_log = EvaluationLog(recovery.manager.directory, name)
        self._evaluated_step, self._evaluated_time = None, -math.inf

    def on_train_begin(self, logs=None):
        self._saved = self.recovery.manager.latest_checkpoint

    def on_train_batch_end(self, batch, logs=None):
        newest = self.recovery.manager.latest_checkpoint
        if newest != self._saved:
            self._saved = newest
            if time.monotonic() >= self._evaluated_time + self.throttle_secs:
                self._evaluate()

    def on_train_end(self, logs=None):
        if self._evaluated_step != self.recovery.step:
            self._evaluate()

    def _evaluate(self):
        self._evaluated_step = self.recovery.step
        self._evaluated_time = time.monotonic()
        metrics = self.model.evaluate(
            self.dataset,
            steps=self.steps,
            verbose=0,
            return_dict=True,
            callbacks=[self._evaluation_log],
        )
        self.model.reset_metrics()  # else the loss of training would go on from these
        told = ", ".join(f"{name} = {value:g}" for name, value in metrics.items())
        tf.get_logger().info("Evaluated at step %d: %s", self._evaluated_step, told)
        if self.export is not None:
            self.export({**metrics, "global_step": self._evaluated_step})
