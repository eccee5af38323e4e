"""More metrics for the evaluations of an ``Estimator``."""

import copy

from .model_fn_call import call_model_fn, call_with_known


def add_metrics(estimator, metric_fn):
    """Returns an ``Estimator`` that evaluates more metrics than another.

    Args:
      estimator: the ``Estimator``.
      metric_fn: takes any of features, labels, predictions and config, and returns a
        dict of metrics, which stand for those of the same names.
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
