"""Exports the checkpoint of the best evaluation, as ``tf.estimator.BestExporter``."""

import os

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_exporters import ModelExporter
from .model_fn_call import argument_names


def loss_smaller(best_eval_result, current_eval_result):
    """Returns whether the current evaluation has the smaller loss."""
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestResult:
    """Remembers the best evaluation, also of earlier runs in the same directory.

    Args:
      events: the directory of evaluations' metrics, such as ``model_dir/eval``, or a
        pattern of its event files; None to ignore earlier runs.
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
        """Returns whether this is the first call or metrics are better than the best."""
        if not self._is_first and not self._is_better(metrics):
            return False
        self._best, self._is_first = metrics, False
        return True

    def _is_better(self, metrics):
        return self._best is None or self._compare_fn(
            best_eval_result=self._best, current_eval_result=metrics
        )


class BestExporter(ModelExporter):
    """Exports after the first and each better evaluation; see ``ModelExporter``.

    Args:
      event_file_pattern: a pattern below the model_dir of event files with the metrics
        of earlier runs; None to ignore those.
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
