# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 1e49523a5d4c61e7).
"""Which exports a training keeps, as the exporters of ``tf.estimator`` choose them."""

import os

import tensorflow as tf
import tensorflow.compat.v1 as tf1


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
      events: where ``evaluate_model_fn`` writes metrics, such as ``model_dir/eval``; or
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
