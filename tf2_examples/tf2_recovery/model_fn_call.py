# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 583856e28f9ae8bd).
"""Calls a ``model_fn`` and an ``input_fn`` as a ``tf.estimator.Estimator`` does."""

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


def call_input_fn(input_fn, mode, params=None, config=None, input_context=None):
    """Calls ``input_fn`` on the CPU with those of the other arguments that it names."""
    known = {"params": params, "config": config, "input_context": input_context}
    with tf.device("/cpu:0"):
        return call_with_known(input_fn, mode=mode, **known)


def features_and_labels(batch):
    """Splits a batch into features and labels; labels are None where it has none."""
    if not isinstance(batch, (list, tuple)):
        return batch, None
    if len(batch) != 2:
        raise ValueError("input_fn should give features, or (features, labels).")
    return batch


def call_model_fn(model_fn, features, labels, mode, params=None, config=None):
    """Calls an unchanged TF1 ``model_fn`` in the default graph.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      features: a tensor or a structure of tensors.
      labels: the same, or None.
      mode: "train", "eval" or "infer", as in ``tf.estimator.ModeKeys``.
      params: a dict; the model_fn gets a copy.
      config: what the model_fn reads from its ``RunConfig``, if anything.

    Returns:
      The EstimatorSpec; a TPUEstimatorSpec is turned into one.

    Raises:
      ValueError: there are labels and the model_fn takes none, or its result lacks what
        the mode needs.
    """
    if labels is not None and "labels" not in argument_names(model_fn):
        raise ValueError("model_fn does not take labels, but input_fn returns labels.")
    spec = call_with_known(
        model_fn,
        features=features,
        labels=labels,
        mode=mode,
        params=copy.deepcopy(params or {}),
        config=config,
    )
    if hasattr(spec, "as_estimator_spec"):
        spec = spec.as_estimator_spec()
    needed = {
        "train": ("loss", "train_op"),
        "eval": ("loss",),
        "infer": ("predictions",),
    }
    for name in needed[mode]:
        if not hasattr(spec, name):
            raise ValueError("model_fn should return an EstimatorSpec.")
        if getattr(spec, name) is None:
            raise ValueError(f"Missing {name}.")
    return spec
