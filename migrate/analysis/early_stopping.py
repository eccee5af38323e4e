"""The functions of ``tf.estimator`` that make early-stopping hooks, which take the estimator."""

import ast
from dataclasses import dataclass

_WHEN = ("run_every_secs", "run_every_steps")
_METRIC = ("eval_dir", "min_steps", *_WHEN)
EARLY_STOPPING = {
    "make_early_stopping_hook": ("estimator", "should_stop_fn", *_WHEN),
    "stop_if_higher_hook": ("estimator", "metric_name", "threshold", *_METRIC),
    "stop_if_lower_hook": ("estimator", "metric_name", "threshold", *_METRIC),
    "stop_if_no_increase_hook": ("estimator", "metric_name", "max_steps_without_increase", *_METRIC),
    "stop_if_no_decrease_hook": ("estimator", "metric_name", "max_steps_without_decrease", *_METRIC),
}
"""Their parameters by their names, below ``tf.estimator.experimental`` and ``tf.contrib.estimator``."""


@dataclass(frozen=True)
class EarlyStop:
    """A call that makes an early-stopping hook from the estimator.

    Attributes:
      node: the call.
      name: what it calls, ``stop_if_lower_hook``.
      estimator: the source text of the estimator that it is given.
    """

    node: ast.Call
    name: str
    estimator: str


def early_stopping(tail: str) -> str | None:
    """The function's name for one within the API, ``estimator.experimental.stop_if_lower_hook``, else None."""
    name = tail.removeprefix("estimator.").removeprefix("experimental.")
    return name if name in EARLY_STOPPING and tail.startswith("estimator.") else None
