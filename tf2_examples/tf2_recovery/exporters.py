# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 930c3fdcf4cf32ef).
"""The exporters of ``tf.estimator``, for ``train_and_evaluate``."""

import os

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .estimator import argument_names


def keep_newest_exports(export_dir_base, exports_to_keep=5):
    """Deletes all exports of a directory but the newest.

    Args:
      export_dir_base: holds exports that are named by their time.
      exports_to_keep: an int, or None to keep all.
    """
    if exports_to_keep is None or not tf.io.gfile.isdir(export_dir_base):
        return
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(export_dir_base)]
    times = sorted(name for name in names if name.isdigit() and len(name) == 10)
    for name in times[:-exports_to_keep]:
        tf.io.gfile.rmtree(os.path.join(export_dir_base, name))


def loss_smaller(best_eval_result, current_eval_result):
    """Returns whether the current evaluation has the smaller loss."""
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestResult:
    """Remembers the best evaluation, across restarts too, as ``BestExporter`` does.

    Args:
      events: where evaluations write their metrics, such as ``model_dir/eval``; or
        a pattern of such files; None to forget earlier evaluations.
      compare_fn: takes best_eval_result and current_eval_result, dicts of metrics, and
        returns whether the current one is better.
    """

    def __init__(self, events, compare_fn=loss_smaller):
        self._compare_fn, self._best, self._is_first = compare_fn, None, True
        if events and "tfevents" not in events:
            events = os.path.join(events, "*.tfevents.*")
        for path in sorted(tf.io.gfile.glob(events)) if events else ():
            for event in tf1.train.summary_iterator(path):
                scalars = [v for v in event.summary.value if v.HasField("simple_value")]
                values = {value.tag: value.simple_value for value in scalars}
                if values and self._is_better(values):
                    self._best = values

    def improves(self, metrics):
        """Returns whether to export: at the first call, and when metrics are better."""
        if not self._is_first and not self._is_better(metrics):
            return False
        self._best, self._is_first = metrics, False
        return True

    def _is_better(self, metrics):
        return self._best is None or self._compare_fn(
            best_eval_result=self._best, current_eval_result=metrics
        )


class Exporter:
    """What ``train_and_evaluate`` calls after its evaluations; a base to derive from."""

    @property
    def name(self):
        """The name of the directory that it exports to, below ``export``."""
        raise NotImplementedError

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        """Exports a checkpoint into a directory, or not; returns the export's path, or None.

        Args:
          estimator, checkpoint_path, eval_result: what was evaluated, and its metrics.
          export_path: the directory to make the export in.
          is_the_final_export: whether the training is at its max_steps.
        """
        raise NotImplementedError


class _ModelExporter(Exporter):
    def __init__(self, name, serving_input_receiver_fn, assets_extra, as_text, keep):
        if keep is not None and keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")
        self._name, self._receiver_fn = name, serving_input_receiver_fn
        self._assets_extra, self._as_text, self._keep = assets_extra, as_text, keep

    @property
    def name(self):
        return self._name

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        exported = estimator.export_saved_model(
            export_path,
            self._receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )
        keep_newest_exports(export_path, self._keep)
        return exported


class LatestExporter(_ModelExporter):
    """Exports after every evaluation.

    Args:
      name: of the directory, below ``export``.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.
      as_text: whether to write the graph as text.
      exports_to_keep: an int; None for all.
    """

    def __init__(
        self,
        name,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        exports_to_keep=5,
    ):
        super().__init__(
            name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep
        )


class SavedModelExporter(_ModelExporter):
    """Exports at each call and keeps all exports, for exporters that decide when."""

    def __init__(
        self, name, serving_input_receiver_fn, assets_extra=None, as_text=False
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, None)


class FinalExporter(SavedModelExporter):
    """Exports when the training is at its max_steps; see ``LatestExporter``."""

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        if not is_the_final_export:
            return None
        tf1.logging.info("Performing the final export in the end of training.")
        return super().export(
            estimator, export_path, checkpoint_path, eval_result, True
        )


class BestExporter(_ModelExporter):
    """Exports after the first and each better evaluation; see ``LatestExporter``.

    Args:
      event_file_pattern: the files, below the model_dir, that hold the evaluations of
        earlier runs; None to forget them.
      compare_fn: takes best_eval_result and current_eval_result, dicts of metrics, and
        returns whether the current one is better.
    """

    def __init__(
        self,
        name="best_exporter",
        serving_input_receiver_fn=None,
        event_file_pattern="eval/*.tfevents.*",
        compare_fn=loss_smaller,
        assets_extra=None,
        as_text=False,
        exports_to_keep=5,
    ):
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        if argument_names(compare_fn) != {"best_eval_result", "current_eval_result"}:
            raise ValueError(
                f"compare_fn ({compare_fn}) must take best_eval_result and "
                "current_eval_result."
            )
        super().__init__(
            name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep
        )
        self._pattern, self._compare_fn = event_file_pattern, compare_fn
        self._model_dir = self._best = None

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        if self._best is None or self._model_dir != estimator.model_dir:
            self._model_dir = estimator.model_dir
            events = self._pattern and os.path.join(self._model_dir, self._pattern)
            self._best = BestResult(events, self._compare_fn)
        if not self._best.improves(eval_result):
            return None
        tf1.logging.info("Performing best model export.")
        return super().export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )
