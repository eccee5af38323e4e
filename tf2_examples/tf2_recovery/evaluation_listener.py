# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 37af9b86b3f21b98).
"""Evaluates after the saves of a training, as ``train_and_evaluate`` on one machine."""

import tensorflow.compat.v1 as tf1


class EvaluationListener(tf1.train.CheckpointSaverListener):
    """Evaluates after each save but the first, and once at the end.

    Args:
      evaluate: is called without arguments.
      throttle_secs: the least time from one evaluation to the next but the last.
    """

    def __init__(self, evaluate, throttle_secs=600):
        self._evaluate, self._secs = evaluate, throttle_secs

    def begin(self):
        self._timer = tf1.train.SecondOrStepTimer(every_secs=self._secs)
        self._is_first = True

    def after_save(self, session, global_step_value):
        if self._is_first:  # nothing is trained yet
            self._is_first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._timer.update_last_triggered_step(global_step_value)
            self._evaluate()
        else:
            tf1.logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._secs,
            )

    def end(self, session, global_step_value):
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate()
