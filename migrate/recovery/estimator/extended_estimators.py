"""Adds metrics to an ``Estimator``, or features to its predictions."""

import copy

import tensorflow as tf

from .export_outputs import PredictOutput
from .model_fn_call import call_model_fn, call_with_known
from .optional_files import is_of_class


def add_metrics(estimator, metric_fn):
    """Returns a copy of an ``Estimator`` that also evaluates the metrics of metric_fn.

    Args:
      estimator: the ``Estimator``.
      metric_fn: takes any of features, labels, predictions and config, and returns a
        dict of metrics, which replace those of the same names.
    """

    def model_fn(features, labels, mode, config):
        spec = call_model_fn(estimator.model_fn, features, labels, mode, None, config)
        if mode == "eval":
            metrics = call_with_known(
                metric_fn,
                features=features,
                labels=labels,
                predictions=spec.predictions,
                config=config,
            )
            all_metrics = {**(spec.eval_metric_ops or {}), **metrics}
            spec = spec._replace(eval_metric_ops=all_metrics)
        return spec

    more = copy.copy(estimator)
    more._model_fn, more._params = model_fn, {}
    return more


def forward_features(estimator, keys=None, sparse_default_values=None):
    """Returns a copy of an ``Estimator`` that also predicts features, such as a key.

    Args:
      estimator: the ``Estimator``, whose predictions are a dict.
      keys: names of features, a string or a list; None for all.
      sparse_default_values: a dict from a sparse feature to what fills its empty places.

    Raises:
      ValueError: a feature is missing, is sparse without a default, or has the name of a
        prediction.
    """
    wanted = [keys] if isinstance(keys, str) else keys
    fill = sparse_default_values or {}

    def select_features(features, predictions):
        found = {}
        for key in features if wanted is None else wanted:
            if key not in features or key in predictions:
                there = "is predicted already" if key in predictions else "is missing"
                raise ValueError(f"Cannot forward the feature {key}: it {there}.")
            feature = features[key]
            if isinstance(feature, tf.SparseTensor):
                if key not in fill:
                    raise ValueError(f"Give sparse_default_values for {key}.")
                feature = tf.sparse.to_dense(feature, fill[key], False)
            found[key] = tf.convert_to_tensor(feature)
        return found

    def model_fn(features, labels, mode, config):
        spec = call_model_fn(estimator.model_fn, features, labels, mode, None, config)
        if spec.predictions is None:
            return spec
        if not isinstance(spec.predictions, dict):
            raise ValueError(f"Predictions should be a dict, not {spec.predictions}.")
        more = select_features(features, spec.predictions)
        for key in ("predict", "serving_default"):
            output = (spec.export_outputs or {}).get(key)
            if is_of_class(output, PredictOutput):
                output.outputs.update(more)
        return spec._replace(predictions={**spec.predictions, **more})

    made = copy.copy(estimator)
    made._model_fn, made._params = model_fn, {}
    return made
