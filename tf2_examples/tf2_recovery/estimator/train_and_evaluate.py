# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content de74be7b9401e00b).
"""Trains and evaluates in turn, as ``tf.estimator.train_and_evaluate`` does."""

import os
import time
from collections import namedtuple

import tensorflow.compat.v1 as tf1

from .estimator import Estimator
from .model_fn_call import check_steps, checked_list
from .optional_files import is_of_class

_EVAL_SPEC_FIELDS = "input_fn steps name hooks exporters start_delay_secs throttle_secs"


class TrainSpec(namedtuple("TrainSpec", "input_fn max_steps hooks saving_listeners")):
    """The arguments of ``Estimator.train`` in ``train_and_evaluate``.

    Attributes:
      input_fn, max_steps, hooks, saving_listeners: as for ``Estimator.train``.
    """

    def __new__(cls, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        _check_callable(input_fn)
        check_steps(max_steps=max_steps)
        hooks = checked_list(hooks, tf1.train.SessionRunHook)
        listeners = checked_list(saving_listeners, tf1.train.CheckpointSaverListener)
        return super().__new__(cls, input_fn, max_steps, tuple(hooks), tuple(listeners))


class EvalSpec(namedtuple("EvalSpec", _EVAL_SPEC_FIELDS)):
    """How ``train_and_evaluate`` evaluates and exports.

    Attributes:
      input_fn, steps, name, hooks: as for ``Estimator.evaluate``.
      exporters: an ``Exporter`` or a list of them, with different names; None for none.
      start_delay_secs: seconds before the first evaluation of a cluster's evaluator.
      throttle_secs: the fewest seconds from one evaluation to the next.
    """

    def __new__(
        cls,
        input_fn,
        steps=100,
        name=None,
        hooks=None,
        exporters=None,
        start_delay_secs=120,
        throttle_secs=600,
    ):
        _check_callable(input_fn)
        check_steps(steps=steps)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        hooks = tuple(checked_list(hooks, tf1.train.SessionRunHook))
        is_single = is_of_class(exporters, Exporter)
        exporters = (exporters,) if is_single else tuple(exporters or ())
        for exporter in exporters:
            _check_class("exporters", exporter, Exporter)
        names = [exporter.name for exporter in exporters]
        if len(set(names)) < len(names) or not all(names):
            raise ValueError(f"`exporters` must have unique names. All: {names}")
        delays = start_delay_secs, throttle_secs
        if min(delays) < 0:
            raise ValueError(f"Delays and throttles must be >= 0, given: {delays}")
        return super().__new__(cls, input_fn, steps, name, hooks, exporters, *delays)


class Exporter:
    """A base class: ``train_and_evaluate`` calls ``export`` after each evaluation."""

    @property
    def name(self):
        """The name of its directory below ``model_dir/export``, a str."""
        raise NotImplementedError

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        """Returns the path of an export of a checkpoint, or None if it exports nothing.

        Args:
          estimator, checkpoint_path: the ``Estimator`` and the evaluated checkpoint.
          eval_result: its metrics, a dict.
          export_path: the directory to make the export in.
          is_the_final_export: whether the training has reached max_steps.
        """
        raise NotImplementedError


def train_and_evaluate(estimator, train_spec, eval_spec):
    """Trains, and evaluates and exports checkpoints.

    Without a cluster it evaluates after each save but the first, if throttle_secs have
    passed since the last evaluation, and at the end. In a cluster of ``TF_CONFIG`` this
    process either trains or, as the "evaluator", evaluates new checkpoints.

    Args:
      estimator: an ``Estimator``.
      train_spec: a ``TrainSpec``.
      eval_spec: an ``EvalSpec``.

    Returns:
      The metrics of the last evaluation and the list of its exports, or (None, None)
      if it never evaluated; None in a cluster.

    Raises:
      TypeError: an argument is of another class.
    """
    kinds = {"estimator": Estimator, "train_spec": TrainSpec, "eval_spec": EvalSpec}
    for name, kind in kinds.items():
        _check_class(name, locals()[name], kind)
    config, max_steps = estimator.config, train_spec.max_steps
    evaluations = _Evaluations(estimator, eval_spec, max_steps)
    if config.task_type == "evaluator":
        return _evaluate_checkpoints(evaluations, eval_spec, max_steps)
    training = estimator._new_training()
    training.join()
    time.sleep(training.delay_secs())
    listeners = train_spec.saving_listeners
    is_alone = not config.cluster_spec
    if is_alone or config.task_type == "master":
        secs = eval_spec.throttle_secs
        listeners = (*listeners, _EvaluationListener(evaluations.evaluate, secs))
    estimator.train(
        train_spec.input_fn,
        hooks=list(train_spec.hooks),
        max_steps=max_steps,
        saving_listeners=listeners,
    )
    return (evaluations.metrics, evaluations.exports) if is_alone else None


def _evaluate_checkpoints(evaluations, eval_spec, max_steps):
    """Evaluates each new checkpoint of a cluster, until one has reached max_steps."""
    time.sleep(eval_spec.start_delay_secs)
    evaluated, step = None, 0
    while max_steps is None or step < max_steps:
        began = time.monotonic()
        path = evaluations.estimator.latest_checkpoint()
        if path != evaluated:
            step, evaluated = evaluations.evaluate(), path
        else:
            tf1.logging.info("No new checkpoint to evaluate.")
        if max_steps is None or step < max_steps:
            waited = time.monotonic() - began
            time.sleep(max(1, eval_spec.throttle_secs - waited))


class _EvaluationListener(tf1.train.CheckpointSaverListener):
    """Evaluates after each save but the first, and once at the end.

    Args:
      evaluate: a function without arguments.
      throttle_secs: the fewest seconds between evaluations; the last may come sooner.
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


class _Evaluations:
    """Evaluates and exports the latest checkpoint; keeps the last metrics and exports."""

    def __init__(self, estimator, eval_spec, max_steps):
        self.estimator, self._spec = estimator, eval_spec
        self._max_steps = max_steps
        self.metrics = self.exports = None

    def evaluate(self):
        """Evaluates and exports the latest checkpoint; returns its global step."""
        spec, path = self._spec, self.estimator.latest_checkpoint()
        self.metrics = self.estimator.evaluate(
            spec.input_fn,
            steps=spec.steps,
            hooks=spec.hooks,
            checkpoint_path=path,
            name=spec.name,
        )
        step, end = self.metrics["global_step"], self._max_steps
        base = os.path.join(self.estimator.model_dir, "export")
        self.exports = [
            exporter.export(
                estimator=self.estimator,
                export_path=os.path.join(base, exporter.name),
                checkpoint_path=path,
                eval_result=self.metrics,
                is_the_final_export=bool(end) and step >= end,
            )
            for exporter in spec.exporters
        ]
        return step


def _check_callable(input_fn):
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _check_class(name, value, kind):
    if not is_of_class(value, kind):
        raise TypeError(f"`{name}` must have type `{kind.__name__}`, not {value!r}.")
