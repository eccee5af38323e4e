"""How a ``model_fn`` and an ``input_fn`` are called, and what they may return."""

import copy
import inspect

import tensorflow as tf


def argument_names(function):
    """Returns the names of the arguments that a function can be given, a set."""
    bound = getattr(function, "keywords", {})  # of a functools.partial
    parameters = inspect.signature(function).parameters.values()
    several = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return {one.name for one in parameters if one.kind not in several} - bound.keys()


def call_with_known(function, **known):
    """Calls ``function`` with those of the arguments ``known`` that it names."""
    names = argument_names(function)
    return function(**{name: known[name] for name in names if name in known})


def features_and_labels(batch, mode="train"):
    """Splits a batch into features and labels; labels are None where it has none."""
    if not isinstance(batch, (list, tuple)):
        return batch, None
    if mode == "infer":
        return batch[0], None
    if len(batch) != 2:
        raise ValueError("input_fn should give features, or (features, labels).")
    return batch


def check_model_fn(model_fn, params):
    """Raises a ValueError for a model_fn of other arguments than an Estimator's."""
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
      features, labels, mode, params, config: what it may take; it gets a copy of params.

    Returns:
      The EstimatorSpec; a TPUEstimatorSpec is turned into one.

    Raises:
      ValueError: there are labels and the model_fn takes none, or its result lacks what
        the mode needs.
      RuntimeError: the model_fn needs ``tf.compat.v1.layers``, which Keras 3 has not.
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
    for name in _NEEDED.get(mode, ()):  # Of a mode of its own a program knows itself.
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
    """Returns a metric's value and update; the variables of a Keras metric are local."""
    if isinstance(metric, (tuple, list)):
        return metric
    if not metric.updates:
        raise ValueError(f'Please call update_state(...) on the "{metric.name}" metric')
    for variable in metric.variables:
        tf.compat.v1.add_to_collection("local_variables", variable)
        tf.compat.v1.add_to_collection("metric_variables", variable)
    return metric.result(), metric.updates[0]  # as an Estimator, the first update alone


def check_steps(**given):
    """Raises a ValueError unless at most one number of steps is given, above 0."""
    if len([number for number in given.values() if number is not None]) > 1:
        raise ValueError("Can not provide both steps and max_steps.")
    for name, number in given.items():
        if number is not None and number <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {number}")


def all_of(objects, kind):
    """Returns objects, a list; raises a TypeError where one is of another class."""
    objects = list(objects or ())
    for one in objects:
        if not isinstance(one, kind):
            raise TypeError(f"Give `{kind.__name__}` instances, not {one}.")
    return objects
