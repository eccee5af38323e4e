"""Functions and constants that programs imported from TensorFlow's private modules."""

import collections
import functools
import inspect
import os

import tensorflow as tf


def fn_args(fn):
    """Returns the names of a function's positional arguments, a tuple."""
    if isinstance(fn, functools.partial):
        args = fn_args(fn.func)[len(fn.args) :]
        return tuple(arg for arg in args if arg not in fn.keywords)
    is_object = not inspect.isclass(fn) and not inspect.isroutine(fn)
    fn = fn.__call__ if is_object and callable(fn) else fn
    args = inspect.getfullargspec(fn).args
    return tuple(args[1:] if inspect.ismethod(fn) else args)


def load_global_step(model_dir):
    """Returns the global step of the newest checkpoint; 0 if none can be read."""
    try:
        reader = tf.train.load_checkpoint(model_dir)
        return reader.get_tensor(tf.compat.v1.GraphKeys.GLOBAL_STEP)
    except Exception:
        return 0


class PredictionKeys:
    """The keys of a premade estimator's predictions."""

    CLASSES = "classes"
    CLASS_IDS = "class_ids"
    ALL_CLASSES = "all_classes"
    ALL_CLASS_IDS = "all_class_ids"
    LOGISTIC = "logistic"
    LOGITS = "logits"
    PREDICTIONS = "predictions"
    PROBABILITIES = "probabilities"
    TOP_K = "top_k"


class MetricKeys:
    """The keys of a premade estimator's metrics."""

    LOSS = "loss"
    LOSS_MEAN = "average_loss"
    LOSS_REGULARIZATION = "regularization_loss"
    ACCURACY = "accuracy"
    PRECISION = "precision"
    RECALL = "recall"
    ACCURACY_BASELINE = "accuracy_baseline"
    AUC = "auc"
    AUC_PR = "auc_precision_recall"
    LABEL_MEAN = "label/mean"
    PREDICTION_MEAN = "prediction/mean"
    ACCURACY_AT_THRESHOLD = "accuracy/positive_threshold_%g"
    PRECISION_AT_THRESHOLD = "precision/positive_threshold_%g"
    RECALL_AT_THRESHOLD = "recall/positive_threshold_%g"
    PRECISION_AT_RECALL = "precision_at_recall_%g"
    RECALL_AT_PRECISION = "recall_at_precision_%g"
    SENSITIVITY_AT_SPECIFICITY = "sensitivity_at_specificity_%g"
    SPECIFICITY_AT_SENSITIVITY = "specificity_at_sensitivity_%g"
    PROBABILITY_MEAN_AT_CLASS = "probability_mean/class%d"
    AUC_AT_CLASS = "auc/class%d"
    AUC_PR_AT_CLASS = "auc_precision_recall/class%d"
    PROBABILITY_MEAN_AT_NAME = "probability_mean/%s"
    AUC_AT_NAME = "auc/%s"
    AUC_PR_AT_NAME = "auc_precision_recall/%s"


ExportPath = collections.namedtuple("ExportPath", "path export_version")


def export_paths(base_dir, parser):
    """Returns the exports in a directory, a sorted list of ``ExportPath``.

    Args:
      base_dir: the directory.
      parser: takes an ``ExportPath`` with an export_version of None; returns it with its
        version, or None to omit the path.
    """
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(base_dir)]
    found = [parser(ExportPath(os.path.join(base_dir, name), None)) for name in names]
    return sorted(path for path in found if path)


def largest_export_versions(n):
    """Returns a function that filters a list for the ``n`` largest export_versions."""

    def keep(paths):
        known = [path for path in paths if path.export_version is not None]
        known = sorted(known, key=lambda path: path.export_version)
        return sorted(known[max(len(known) - n, 0) :])

    return keep


def opposite_filter(one):
    """Returns a function that keeps the paths that another filter drops."""
    return lambda paths: sorted({*paths} - {*one(paths)})
