"""Calls a ``model_fn`` and an ``input_fn`` as a ``tf.estimator.Estimator`` does."""

import copy
import inspect

import tensorflow as tf


def call_with_known(function, **known):
    """Calls ``function`` with those of the arguments ``known`` that it names."""
    bound = getattr(function, "keywords", {})  # of a functools.partial
    names = inspect.signature(function).parameters.keys() - bound.keys()
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
      ValueError: if there are labels and the model_fn takes none.
    """
    if labels is not None and "labels" not in inspect.signature(model_fn).parameters:
        raise ValueError("model_fn takes no labels, but input_fn returns labels.")
    spec = call_with_known(
        model_fn,
        features=features,
        labels=labels,
        mode=mode,
        params=copy.deepcopy(params or {}),
        config=config,
    )
    return spec.as_estimator_spec() if hasattr(spec, "as_estimator_spec") else spec
