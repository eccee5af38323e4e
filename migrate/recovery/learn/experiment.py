"""``Experiment`` of ``tf.contrib.learn``, which trains and evaluates an ``Estimator``."""

import inspect
import os
import time

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..estimator.optional_files import is_of_class


class Experiment:
    """Trains, evaluates and exports an ``Estimator``.

    Args:
      estimator: the ``Estimator``.
      train_input_fn, eval_input_fn: the input_fns of its ``train`` and ``evaluate``.
      train_steps: the global step to end at; None for the end of the data.
      eval_steps: the number of batches of an evaluation; None for all.
      train_monitors, eval_hooks: lists of ``tf.compat.v1.train.SessionRunHook``, or None.
      local_eval_frequency: the ``min_eval_frequency`` of ``local_run``.
      eval_delay_secs: the seconds that ``evaluate`` waits before it begins.
      min_eval_frequency: steps between two checks for a new checkpoint to evaluate; None
        for 1; 0 evaluates only at the end.
      export_strategies: an ``ExportStrategy`` or a list of them, run at the end.
      saving_listeners: as for ``Estimator.train``.
      check_interval_secs: the fewest seconds between two checks.
      continuous_eval_throttle_secs, delay_workers_by_global_step: ignored.
      eval_metrics, train_steps_per_iteration, checkpoint_and_export: must be None, and
        False.

    Raises:
      ValueError: an argument is given that is not supported, or TF_CONFIG names more
        than one task.
    """

    def __init__(
        self,
        estimator,
        train_input_fn,
        eval_input_fn,
        eval_metrics=None,
        train_steps=None,
        eval_steps=100,
        train_monitors=None,
        eval_hooks=None,
        local_eval_frequency=None,
        eval_delay_secs=120,
        continuous_eval_throttle_secs=60,
        min_eval_frequency=None,
        delay_workers_by_global_step=False,
        export_strategies=None,
        train_steps_per_iteration=None,
        checkpoint_and_export=False,
        saving_listeners=None,
        check_interval_secs=5,
    ):
        if train_steps_per_iteration or checkpoint_and_export:
            raise ValueError(
                "train_steps_per_iteration and checkpoint_and_export are not carried "
                "over."
            )
        if eval_metrics is not None:
            raise ValueError("eval_metrics must be None with tf.estimator.Estimator.")
        cluster = estimator.config.cluster_spec
        if cluster and sum(len(tasks) for tasks in cluster.as_dict().values()) > 1:
            raise ValueError("An Experiment of several workers is not supported.")
        self.estimator, self.train_steps = estimator, train_steps
        self.eval_steps = eval_steps
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._hooks, self._eval_hooks = list(train_monitors or ()), eval_hooks
        self._local_eval_frequency = local_eval_frequency
        self._eval_delay_secs = eval_delay_secs
        self._frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._saving_listeners = saving_listeners
        self._check_secs = check_interval_secs
        if is_of_class(export_strategies, ExportStrategy):
            export_strategies = [export_strategies]
        self._strategies = list(export_strategies or ())

    def train(self, delay_secs=None):
        """Trains until ``train_steps``, after delay_secs; returns the estimator."""
        time.sleep(delay_secs or 0)
        return self._train(self._hooks, max_steps=self.train_steps)

    def evaluate(self, delay_secs=None, name=None):
        """Returns the metrics, a dict, and writes them to ``eval_one_pass``."""
        time.sleep(self._eval_delay_secs if delay_secs is None else delay_secs)
        return self._evaluate(name=name or "one_pass")

    def train_and_evaluate(self):
        """Trains, evaluates new checkpoints in between, and exports.

        Returns:
          The metrics of the last evaluation, and a list of the exports' paths.
        """
        return self._train_and_evaluate(self._frequency)

    def local_run(self):
        """Runs ``train_and_evaluate`` with ``local_eval_frequency``."""
        return self._train_and_evaluate(self._local_eval_frequency)

    def test(self):
        """Trains one step, evaluates one batch and exports; returns the metrics."""
        self._train(self._hooks, steps=1)
        metrics = self._evaluate(name="one_pass", steps=1)
        self._export(metrics)
        return metrics

    def _train_and_evaluate(self, frequency):
        hooks = list(self._hooks)
        if frequency:
            given = self._evaluate, self.estimator, frequency, self._check_secs
            hooks.append(_EvaluationHook(*given))
        self._train(hooks, max_steps=self.train_steps)
        metrics = self._evaluate()
        return metrics, self._export(metrics)

    def _train(self, hooks, **steps):
        listeners = self._saving_listeners
        return self.estimator.train(
            self._train_input_fn, hooks=hooks, saving_listeners=listeners, **steps
        )

    def _evaluate(self, name=None, steps=None):
        steps = self.eval_steps if steps is None else steps
        return self.estimator.evaluate(
            input_fn=self._eval_input_fn, steps=steps, hooks=self._eval_hooks, name=name
        )

    def _export(self, metrics):
        base = os.path.join(self.estimator.model_dir, "export")
        return [
            strategy.export(
                self.estimator, os.path.join(base, strategy.name), eval_result=metrics
            )
            for strategy in self._strategies
        ]


class _EvaluationHook(tf1.train.SessionRunHook):
    def __init__(self, evaluate, estimator, every, check_secs):
        self._evaluate, self._estimator = evaluate, estimator
        self._every, self._check_secs = every, check_secs
        self._checked_at, self._checked, self._path = 0, None, None

    def begin(self):
        self._global_step, self._step = tf1.train.get_global_step(), None

    def before_run(self, run_context):
        if self._step is None:
            self._step = run_context.session.run(self._global_step) + 1
        return tf1.train.SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        # Counts as contrib did: it fetched the global step after the step.
        step, now = self._step, time.time()
        self._step = run_values.results + 2
        if step > 1 and step < self._checked_at + self._every:
            return
        self._checked_at = step
        if self._checked is not None and now - self._checked <= self._check_secs:
            return
        self._checked = now
        path = self._estimator.latest_checkpoint()
        if path and path != self._path:
            self._path = path
            self._evaluate()


class ExportStrategy:
    """Exports a trained model by a function.

    Args:
      name: of its directory below ``model_dir/export``.
      export_fn: takes the estimator and a directory, and may take checkpoint_path,
        eval_result and strip_default_attrs; returns the path of the export.
      strip_default_attrs: is passed to export_fn.
    """

    def __init__(self, name, export_fn, strip_default_attrs=None):
        self.name, self.export_fn = name, export_fn
        self.strip_default_attrs = strip_default_attrs

    def export(self, estimator, export_path, checkpoint_path=None, eval_result=None):
        """Exports into the directory ``export_path``; returns the path of the export."""
        given = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        parameters = inspect.signature(self.export_fn).parameters
        accepted = {name: value for name, value in given.items() if name in parameters}
        return self.export_fn(estimator, export_path, **accepted)


def make_export_strategy(
    serving_input_fn,
    default_output_alternative_key=None,
    assets_extra=None,
    as_text=False,
    exports_to_keep=5,
    strip_default_attrs=None,
):
    """Returns an ``ExportStrategy`` that writes SavedModels to ``export/Servo``.

    Args:
      serving_input_fn: returns a ``ServingInputReceiver``.
      default_output_alternative_key: must be None.
      assets_extra, as_text: as for ``Estimator.export_savedmodel``.
      exports_to_keep: how many exports to keep, an int; None for all.
      strip_default_attrs: passed to the ``ExportStrategy``; ignored by its export.

    Raises:
      ValueError: default_output_alternative_key is given.
    """
    if default_output_alternative_key is not None:
        raise ValueError("default_output_alternative_key must be None.")

    def export(estimator, export_dir_base, checkpoint_path=None):
        path = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )
        names = tf.io.gfile.listdir(export_dir_base) if exports_to_keep else []
        numbers = sorted({int(n.strip("/")) for n in names if n.strip("/").isdigit()})
        for number in numbers[: -(exports_to_keep or 0)]:
            tf.io.gfile.rmtree(os.path.join(export_dir_base, str(number)))
        return path

    return ExportStrategy("Servo", export, strip_default_attrs)


def run_experiment(
    experiment_fn, output_dir=None, schedule=None, run_config=None, hparams=None
):
    """Makes an ``Experiment`` and runs it, as ``learn_runner.run`` did.

    Args:
      experiment_fn: takes run_config and hparams, or output_dir; returns an
        ``Experiment``.
      output_dir: a directory; or
      run_config: a ``RunConfig`` with a model_dir.
      schedule: a method of ``Experiment``, a str; None for "train_and_evaluate".
      hparams: is passed to experiment_fn.

    Returns:
      What the method returns.

    Raises:
      ValueError: none or both of output_dir and run_config are given, the model_dir is
        missing, or there is no such method.
    """
    if (output_dir is None) == (run_config is None):
        raise ValueError("Give one of output_dir and run_config.")
    if run_config is not None and not run_config.model_dir:
        raise ValueError("The run_config must have a model_dir.")
    given = {"output_dir": output_dir} if run_config is None else {}
    experiment = experiment_fn(*(() if given else (run_config, hparams)), **given)
    schedule = schedule or "train_and_evaluate"
    if schedule.startswith("_") or not hasattr(experiment, schedule):
        raise ValueError(f"An Experiment has no schedule {schedule!r}.")
    return getattr(experiment, schedule)()
