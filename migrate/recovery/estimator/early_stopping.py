"""Hooks that end a training early, by the metrics of its evaluations."""

import os

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .checkpoint_list import latest_checkpoint
from .model_checkpoints import STOP_SIGNAL


class EarlyStoppingHook(tf1.train.SessionRunHook):
    """Ends the training when a function returns True.

    It sets the variable of an Estimator's hook, by which a cluster's workers stop too.

    Args:
      should_stop_fn: takes no arguments, returns whether to stop.
      run_every_secs: the seconds between two calls of should_stop_fn; or
      run_every_steps: the steps between them. One of the two must be None.
      model_dir: where the training saves, None if unknown.
    """

    def __init__(
        self, should_stop_fn, run_every_secs=60, run_every_steps=None, model_dir=None
    ):
        self._should_stop_fn, self._model_dir = should_stop_fn, model_dir
        self._timer = tf1.train.SecondOrStepTimer(run_every_secs, run_every_steps)

    def begin(self):
        self._global_step = tf1.train.get_global_step()
        self._signal = StopSignal(self._model_dir)

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        step = run_values.results
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop_fn():
                tf1.logging.info("Requesting early stopping at global step %d", step)
                self._signal.send(run_context.session)
                run_context.request_stop()


class StoppedByChiefHook(tf1.train.SessionRunHook):
    """Ends the training of a worker when the chief's ``EarlyStoppingHook`` stops."""

    def __init__(self, model_dir=None):
        self._model_dir = model_dir

    def begin(self):
        self._signal = StopSignal(self._model_dir)

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._signal.variable)

    def after_run(self, run_context, run_values):
        if run_values.results:
            tf1.logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()


class StopSignal:
    """Makes or finds the graph's variable ``signal_early_stopping/STOP``.

    Args:
      model_dir: its newest checkpoint decides on the variable's type; None for the type
        that TensorFlow 2.15 saves.
    """

    def __init__(self, model_dir=None):
        # Under a strategy TensorFlow 2 counts replicas that stop, TensorFlow 1 does not.
        is_replicated = tf.distribute.has_strategy()
        dtype = _saved_type(model_dir) or (tf.int32 if is_replicated else tf.bool)
        with tf1.variable_scope("signal_early_stopping", reuse=tf1.AUTO_REUSE):
            self.variable = tf1.get_variable(
                "STOP",
                [],
                dtype,
                tf1.constant_initializer(0 if dtype == tf.int32 else False, dtype),
                collections=[tf1.GraphKeys.GLOBAL_VARIABLES],
                trainable=False,
                synchronization=tf.VariableSynchronization.ON_WRITE,
                aggregation=tf1.VariableAggregation.ONLY_FIRST_REPLICA,
            )
        self._send = None if is_replicated else self.variable.assign(True)

    def send(self, session):
        """Sets the variable for the workers; under a strategy each stops by itself."""
        if self._send is not None:
            session.run(self._send)


def _saved_type(model_dir):
    path = latest_checkpoint(model_dir) if model_dir else None
    types = tf.train.load_checkpoint(path).get_variable_to_dtype_map() if path else {}
    return types.get(STOP_SIGNAL)


def make_early_stopping_hook(
    estimator, should_stop_fn, run_every_secs=60, run_every_steps=None
):
    """Returns an ``EarlyStoppingHook``; for a worker, a ``StoppedByChiefHook``."""
    config = getattr(estimator, "config", None)
    model_dir = getattr(estimator, "model_dir", None)
    if getattr(config, "is_chief", True) or config.train_distribute is not None:
        when = run_every_secs, run_every_steps
        return EarlyStoppingHook(should_stop_fn, *when, model_dir)
    return StoppedByChiefHook(model_dir)


def stop_if_higher_hook(
    estimator, metric_name, threshold, eval_dir=None, min_steps=0, **when
):
    """Returns a hook that stops when a metric is above a threshold.

    Args:
      estimator: an ``Estimator``, or the directory of the metrics, such as
        ``model_dir/eval``.
      metric_name: a name in the ``eval_metric_ops``, or "loss".
      threshold: a float.
      eval_dir: the directory of the metrics; None for the estimator's.
      min_steps: ignores the metrics of earlier global steps; an int.
      when: run_every_secs and run_every_steps, as for ``EarlyStoppingHook``.
    """
    above = _any_value(lambda value: value > threshold)
    return _metric_hook(eval_dir or estimator, metric_name, min_steps, above, when)


def stop_if_lower_hook(
    estimator, metric_name, threshold, eval_dir=None, min_steps=0, **when
):
    """Returns a hook that stops when a metric is below a threshold.

    The arguments are those of ``stop_if_higher_hook``.
    """
    below = _any_value(lambda value: value < threshold)
    return _metric_hook(eval_dir or estimator, metric_name, min_steps, below, when)


def stop_if_no_increase_hook(
    estimator,
    metric_name,
    max_steps_without_increase,
    eval_dir=None,
    min_steps=0,
    **when,
):
    """Returns a hook that stops when a metric has not grown for that many steps.

    The other arguments are those of ``stop_if_higher_hook``.
    """
    stalls = _stall_test(max_steps_without_increase, lambda value, best: value > best)
    return _metric_hook(eval_dir or estimator, metric_name, min_steps, stalls, when)


def stop_if_no_decrease_hook(
    estimator,
    metric_name,
    max_steps_without_decrease,
    eval_dir=None,
    min_steps=0,
    **when,
):
    """Returns a hook that stops when a metric has not fallen for that many steps.

    The other arguments are those of ``stop_if_higher_hook``.
    """
    stalls = _stall_test(max_steps_without_decrease, lambda value, best: value < best)
    return _metric_hook(eval_dir or estimator, metric_name, min_steps, stalls, when)


def read_eval_metrics(eval_dir):
    """Returns a dict from the step of each evaluation to a dict of metrics by name."""
    metrics = {}
    for path in tf.io.gfile.glob(os.path.join(eval_dir, "*.tfevents.*")):
        try:
            for event in tf1.train.summary_iterator(path):
                scalars = [v for v in event.summary.value if v.HasField("simple_value")]
                found = {value.tag: value.simple_value for value in scalars}
                if found:
                    metrics.setdefault(event.step, {}).update(found)
        except tf.errors.DataLossError as error:
            tf1.logging.warning("Skipping the rest of %s: %s", path, error)
    return dict(sorted(metrics.items()))


def _metric_hook(source, metric_name, min_steps, condition, when):
    eval_dir = source.eval_dir() if hasattr(source, "eval_dir") else source

    def should_stop():
        found = read_eval_metrics(eval_dir).items()
        return condition([(s, m[metric_name]) for s, m in found if s >= min_steps])

    return make_early_stopping_hook(source, should_stop, **when)


def _any_value(crosses):
    return lambda values: any(crosses(value) for _, value in values)


def _stall_test(most, is_better):
    def condition(values):
        best = None
        for step, value in values:
            if best is None or is_better(value, best[1]):
                best = step, value
            if step - best[0] >= most:
                return True
        return False

    return condition
