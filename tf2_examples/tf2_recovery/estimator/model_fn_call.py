# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content b8f75ba7aeda5e3b).
"""Calls a ``model_fn`` or an ``input_fn``, and checks what it takes and returns."""

import copy
import inspect

import tensorflow as tf


def argument_names(function):
    """Returns the names of a function's arguments, a set; none of *args or **kwargs."""
    bound = getattr(function, "keywords", {})  # set by a functools.partial
    parameters = inspect.signature(function).parameters.values()
    several = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return {one.name for one in parameters if one.kind not in several} - bound.keys()


def call_with_known(function, **known):
    """Calls ``function`` with those ``known`` arguments that it takes by name."""
    names = argument_names(function)
    return function(**{name: known[name] for name in names if name in known})


def features_and_labels(batch, mode="train"):
    """Returns the features and labels of a batch; the labels may be None."""
    if not isinstance(batch, (list, tuple)):
        return batch, None
    if mode == "infer":
        return batch[0], None
    if len(batch) != 2:
        raise ValueError("input_fn should give features, or (features, labels).")
    return batch


def check_model_fn(model_fn, params):
    """Raises a ValueError for a model_fn whose arguments an Estimator rejects."""
    if model_fn is None:
        raise ValueError("model_fn must be provided to Estimator.")
    names = argument_names(model_fn)
    if "features" not in names:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params "
            f"({params}) is passed to Estimator."
        )
    unknown = names - {"features", "labels", "mode", "params", "config", "self"}
    if unknown:
        raise ValueError(
            f"model_fn ({model_fn}) has following not expected args: {sorted(unknown)}"
        )


_NEEDED = {"train": ("loss", "train_op"), "eval": ("loss",), "infer": ("predictions",)}


def call_model_fn(model_fn, features, labels, mode, params=None, config=None):
    """Calls an unchanged TF1 ``model_fn`` in the default graph.

    Args:
      features, labels, mode, config, params: passed if it takes them; params as a copy.

    Returns:
      The EstimatorSpec; a TPUEstimatorSpec is converted.

    Raises:
      ValueError: the model_fn takes no labels and there are some, or it returned no
        EstimatorSpec with what the mode needs.
      RuntimeError: it calls ``tf.compat.v1.layers``, which Keras 3 does not have.
    """
    if labels is not None and "labels" not in argument_names(model_fn):
        raise ValueError("model_fn does not take labels, but input_fn returns labels.")
    given = {"mode": mode, "params": copy.deepcopy(params or {}), "config": config}
    try:
        spec = call_with_known(model_fn, features=features, labels=labels, **given)
    except AttributeError as error:
        if "not available with Keras 3" not in str(error):
            raise
        raise RuntimeError(
            f"{error} Install tf_keras and set TF_USE_LEGACY_KERAS=1 in the environment."
        ) from error
    if hasattr(spec, "as_estimator_spec"):
        spec = spec.as_estimator_spec()
    for name in _NEEDED.get(mode, ()):  # A program may call it in a mode of its own.
        if not hasattr(spec, name):
            raise ValueError("model_fn should return an EstimatorSpec.")
        if getattr(spec, name) is None:
            raise ValueError(f"Missing {name}.")
    if getattr(getattr(spec.loss, "shape", None), "rank", 0) != 0:
        spec = spec._replace(loss=tf.reshape(spec.loss, []))
    metrics = getattr(spec, "eval_metric_ops", None) or {}
    pairs = {name: _metric_pair(one) for name, one in metrics.items()}
    return spec._replace(eval_metric_ops=pairs) if pairs else spec


def _metric_pair(metric):
    """Returns (value, update) of a metric; makes a Keras metric's variables local."""
    if isinstance(metric, (tuple, list)):
        return metric
    if not metric.updates:
        raise ValueError(f'Please call update_state(...) on the "{metric.name}" metric')
    for variable in metric.variables:
        tf.compat.v1.add_to_collection("local_variables", variable)
        tf.compat.v1.add_to_collection("metric_variables", variable)
    return metric.result(), metric.updates[0]  # an Estimator runs only the first update


def check_steps(**given):
    """Raises a ValueError for two numbers of steps, or for one that is not positive."""
    if len([number for number in given.values() if number is not None]) > 1:
        raise ValueError("Can not provide both steps and max_steps.")
    for name, number in given.items():
        if number is not None and number <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {number}")


def checked_list(objects, kind):
    """Returns a list of objects; raises a TypeError where one is not of class kind."""
    objects = list(objects or ())
    for one in objects:
        if not isinstance(one, kind):
            raise TypeError(f"Give `{kind.__name__}` instances, not {one}.")
    return objects
