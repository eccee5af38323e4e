"""Experiments as ``tf.contrib.learn`` had them, over an ``Estimator``."""

import inspect
import os
import time

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..estimator.optional_files import is_of_class


class Experiment:
    """An ``Estimator`` with what it trains and evaluates on.

    Args:
      estimator: the ``Estimator``.
      train_input_fn, eval_input_fn: of its ``train`` and ``evaluate``.
      train_steps: the global step to end at; None for the end of the data.
      eval_steps: batches of an evaluation; None for all.
      train_monitors, eval_hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
      local_eval_frequency: the ``min_eval_frequency`` of ``local_run``.
      eval_delay_secs: the seconds that ``evaluate`` waits first.
      min_eval_frequency: steps between two looks for a new checkpoint to evaluate; None
        for 1, 0 for none before the end.
      export_strategies: an ``ExportStrategy``, or a list of them, for the end.
      saving_listeners: of the estimator's ``train``.
      check_interval_secs: the fewest seconds between two looks.
      continuous_eval_throttle_secs, delay_workers_by_global_step: not read.
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
        """Trains to ``train_steps``; returns the estimator."""
        time.sleep(delay_secs or 0)
        return self._train(self._hooks, max_steps=self.train_steps)

    def evaluate(self, delay_secs=None, name=None):
        """Returns the metrics; they are also written below ``eval_one_pass``."""
        time.sleep(self._eval_delay_secs if delay_secs is None else delay_secs)
        return self._evaluate(name=name or "one_pass")

    def train_and_evaluate(self):
        """Trains, and evaluates new checkpoints meanwhile.

        Returns:
          The metrics of the last evaluation, and a list of what was exported.
        """
        return self._train_and_evaluate(self._frequency)

    def local_run(self):
        """Likewise, with ``local_eval_frequency``."""
        return self._train_and_evaluate(self._local_eval_frequency)

    def test(self):
        """Trains and evaluates one step, and exports; returns the metrics."""
        self._train(self._hooks, steps=1)
        metrics = self._evaluate(name="one_pass", steps=1)
        self._export(metrics)
        return metrics

    def _train_and_evaluate(self, frequency):
        hooks = list(self._hooks)
        if frequency:
            hooks.append(
                _EvaluatesNewCheckpoints(
                    self._evaluate, self.estimator, frequency, self._check_secs
                )
            )
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
            input_fn=self._eval_input_fn,
            steps=steps,
            hooks=self._eval_hooks,
            name=name,
        )

    def _export(self, metrics):
        base = os.path.join(self.estimator.model_dir, "export")
        return [
            one.export(
                self.estimator, os.path.join(base, one.name), eval_result=metrics
            )
            for one in self._strategies
        ]


class _EvaluatesNewCheckpoints(tf1.train.SessionRunHook):
    def __init__(self, evaluate, estimator, every, check_secs):
        self._evaluate, self._estimator = evaluate, estimator
        self._every, self._check_secs = every, check_secs
        self._seen_at, self._looked, self._path = 0, None, None

    def begin(self):
        self._global_step, self._step = tf1.train.get_global_step(), None

    def before_run(self, run_context):
        if self._step is None:
            self._step = run_context.session.run(self._global_step) + 1
        return tf1.train.SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        # As contrib counted, whose fetch of the global step was that after the step.
        step, now = self._step, time.time()
        self._step = run_values.results + 2
        if step > 1 and step < self._seen_at + self._every:
            return
        self._seen_at = step
        if self._looked is not None and now - self._looked <= self._check_secs:
            return
        self._looked = now
        path = self._estimator.latest_checkpoint()
        if path and path != self._path:
            self._path = path
            self._evaluate()


class ExportStrategy:
    """How to export a trained model.

    Args:
      name: of its directory below ``export``.
      export_fn: takes the estimator and a directory, and may take checkpoint_path,
        eval_result and strip_default_attrs; returns the path of the export.
      strip_default_attrs: is passed to the function.
    """

    def __init__(self, name, export_fn, strip_default_attrs=None):
        self.name, self.export_fn = name, export_fn
        self.strip_default_attrs = strip_default_attrs

    def export(self, estimator, export_path, checkpoint_path=None, eval_result=None):
        """Returns the path of the export below ``export_path``."""
        given = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        takes = inspect.signature(self.export_fn).parameters
        known = {name: value for name, value in given.items() if name in takes}
        return self.export_fn(estimator, export_path, **known)


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
      assets_extra, as_text: of ``export_savedmodel``.
      exports_to_keep: how many exports stay; None for all.
      strip_default_attrs: not read: an export has no attributes of that kind.

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
        made = sorted({int(n.strip("/")) for n in names if n.strip("/").isdigit()})
        for number in made[: -(exports_to_keep or 0)]:
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
      schedule: the name of the experiment's method; None for train_and_evaluate.
      hparams: of the function.

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
