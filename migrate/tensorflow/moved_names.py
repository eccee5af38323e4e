"""The generated replacements of private names that TensorFlow 2 lacks and that have no public name."""

from functools import cache

from migrate.tensorflow.known_names import KERAS_INSIDE, NEW, OLD, lines_without, public_name, public_path

_RUNTIME_REPLACEMENTS = {
    "examples.tutorials.mnist.input_data.read_data_sets": "read_data_sets",
    "python.estimator.canned.metric_keys.MetricKeys": "MetricKeys",
    "python.estimator.canned.prediction_keys.PredictionKeys": "PredictionKeys",
    "python.estimator.estimator._load_global_step_from_checkpoint_dir": "load_global_step",
    "python.estimator.exporter._SavedModelExporter": "SavedModelExporter",
    "python.estimator.gc.Path": "ExportPath",
    "python.estimator.gc._get_paths": "export_paths",
    "python.estimator.gc._largest_export_versions": "largest_export_versions",
    "python.estimator.gc._negation": "opposite_filter",
    "python.estimator.util.fn_args": "fn_args",
}
"""Path below ``tensorflow`` -> the runtime's class or function that replaces it."""


def runtime_replacement(tail: str) -> tuple[str, str] | None:
    """Returns the runtime's replacement of a name, and the attribute read from it; None if there is no replacement.

    Args:
      tail: the name below ``tensorflow``: ``python.estimator.canned.metric_keys.MetricKeys.LOSS`` gives ``MetricKeys``
        and ``.LOSS``.
    """
    for path, runtime_name in _RUNTIME_REPLACEMENTS.items():
        if tail == path or tail.startswith(f"{path}."):
            return runtime_name, tail.removeprefix(path)
    return None


@cache
def has_moved(qualified: str) -> bool:
    """Whether TensorFlow 2 lacks a private path, or one of the tutorials, and has or replaces its object elsewhere.

    A path into TensorFlow's copy of Keras has moved because Keras is a package of its own now.
    """
    _, _, tail = qualified.partition(".")
    if tail.startswith(KERAS_INSIDE):
        return public_path(qualified, (OLD, NEW)) is not None
    if not tail.startswith(("examples.", "python.")) or not lines_without(qualified, (OLD, NEW)):
        return False
    public = public_name(qualified)
    return runtime_replacement(tail) is not None or (public is not None and not public.tail.startswith("contrib."))
