"""``tf.estimator.Estimator``: its phases, its batches and its evaluations."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import batches, event_log, saving, training
from .wrapping import around


def watch(module: ModuleType) -> None:
    """Watch the class that all estimators derive from."""
    owner = module.Estimator
    around(owner, "_train_with_estimator_spec", _train)
    around(owner, "_get_features_and_labels_from_input_fn", _input)
    around(owner, "evaluate", _evaluate)
    around(owner, "predict", _predict)


def watch_evaluations(module: ModuleType) -> None:
    """Watch the ``train_and_evaluate`` of one process, which evaluates again when a time has passed."""
    around(module._TrainingExecutor, "run_local", _train_and_evaluate)


def _train_and_evaluate(original: Callable[..., Any], self: Any) -> Any:
    event_log.write("evaluates_by_clock", seconds=self._eval_spec.throttle_secs)
    return original(self)


def _train(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    with training.driven_by("session"):
        return original(self, *args, **kwargs)


def _input(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    features, labels, hooks = original(self, *args, **kwargs)
    with event_log.observing("batch"):
        batches.remember(batches.parts((features, {} if labels is None else labels)))
    return features, labels, hooks


def _evaluate(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    with training.in_phase("evaluate"):
        metrics = original(self, *args, **kwargs)
    saving.evaluated(int(metrics["global_step"]) if "global_step" in metrics else None, metrics)
    return metrics


def _predict(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    # A generator: the phase holds while one element is made, not while the program looks at it.
    elements = original(self, *args, **kwargs)
    while True:
        with training.in_phase("predict"):
            try:
                element = next(elements)
            except StopIteration:
                return
        yield element
