"""The monitor of ``tf.contrib.learn`` that evaluates during training, and keys of predictions."""

import logging
import time

import tensorflow.compat.v1 as tf1

_log = logging.getLogger("tensorflow")


class PredictionKey:
    """The keys of what a premade estimator of ``tf.contrib.learn`` predicts."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"


class ValidationMonitor(tf1.train.SessionRunHook):
    """Evaluates new checkpoints during training, as ``tf.contrib.learn.monitors`` did.

    Args:
      x, y, input_fn, batch_size, metrics, hooks, name: of ``LearnEstimator.evaluate``.
      eval_steps: how many batches; None for all.
      every_n_steps: how many steps lie between two looks for a new checkpoint.
      early_stopping_rounds: after how many steps without a better value the training
        ends, or None.
      early_stopping_metric: which value.
      early_stopping_metric_minimize: whether a lower one is better.
      check_interval_secs: how many seconds lie between two looks at least, or None.

    Raises:
      ValueError: neither x nor input_fn is given.
    """

    def __init__(
        self,
        x=None,
        y=None,
        input_fn=None,
        batch_size=None,
        eval_steps=None,
        every_n_steps=100,
        metrics=None,
        hooks=None,
        early_stopping_rounds=None,
        early_stopping_metric="loss",
        early_stopping_metric_minimize=True,
        name=None,
        check_interval_secs=5,
    ):
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self._asked = {
            "x": x,
            "y": y,
            "input_fn": input_fn,
            "batch_size": batch_size,
            "steps": eval_steps,
            "metrics": metrics,
            "hooks": hooks,
            "name": name,
        }
        self._every, self._interval = every_n_steps, check_interval_secs
        self._rounds, self._metric = early_stopping_rounds, early_stopping_metric
        self._minimizes = early_stopping_metric_minimize
        self._estimator = self._path = self._looked = None
        self._active = 0
        self.early_stopped = False
        self.best_step = self.best_value = self.best_metrics = None

    def set_estimator(self, estimator):
        """Takes the estimator that trains; its ``fit`` calls it."""
        self._estimator = estimator

    def begin(self):
        self._counter = tf1.train.get_global_step()

    def after_create_session(self, session, coord):
        self._step = session.run(self._counter) + 1

    def after_run(self, run_context, run_values):
        # Asked with the step itself, the counter might be read before it is raised.
        done = run_context.session.run(self._counter)
        step, self._step = self._step, done + 1
        if step >= self._every + self._active:
            self._active = step
            if self._estimator.config.is_chief and self._stops(step):
                self.early_stopped = True
                run_context.request_stop()

    def _stops(self, step):
        now = time.time()
        is_timed = self._interval is not None and self._looked is not None
        if is_timed and now - self._looked <= self._interval:
            return False
        self._looked = now
        path = self._estimator.latest_checkpoint()
        if path is None or path == self._path:
            return False
        self._path = path
        found = self._estimator.evaluate(**self._asked)
        shown = ", ".join(f"{name} = {value}" for name, value in found.items())
        _log.info("Validation (step %d): %s", step, shown)
        return self._rounds is not None and self._is_enough(step, found)

    def _is_enough(self, step, found):
        if self._metric not in found:
            raise ValueError(f"Metric {self._metric} missing from {set(found)}.")
        value, best = found[self._metric], self.best_value
        if best is None or (value < best if self._minimizes else value > best):
            self.best_value, self.best_step = value, step
            self.best_metrics = dict(found)
        if step - self.best_step < self._rounds:
            return False
        shown = f"{self.best_step} with {self._metric} = {self.best_value}"
        _log.info("Stopping. Best step: %s.", shown)
        return True
