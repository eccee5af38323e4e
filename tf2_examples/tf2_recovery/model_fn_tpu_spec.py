# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content a2c5497708437c4f).
"""What a ``model_fn`` for ``TPUEstimator`` returns, when it runs on CPU or GPU."""

from typing import Any, NamedTuple

from .model_fn_host_call import HostCallHook
from .model_fn_spec import EstimatorSpec


class TPUEstimatorSpec(NamedTuple):
    """What a ``model_fn`` returns, as ``tf.estimator.tpu.TPUEstimatorSpec``.

    Attributes:
      mode: "train", "eval" or "infer".
      predictions, loss, train_op, export_outputs: as in ``EstimatorSpec``.
      eval_metrics: a pair of a function and its arguments, a list or a dict of tensors;
        the function returns the metrics.
      scaffold_fn: makes the ``tf.compat.v1.train.Scaffold``.
      host_call: a pair as eval_metrics; what the function returns runs in every step.
      training_hooks, evaluation_hooks, prediction_hooks: as in ``EstimatorSpec``.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Any = None
    host_call: Any = None
    training_hooks: Any = ()
    evaluation_hooks: Any = ()
    prediction_hooks: Any = ()

    def as_estimator_spec(self):
        """Returns the ``EstimatorSpec`` that ``TPUEstimator`` makes of it off a TPU."""
        metrics = _called(self.eval_metrics)
        hooks = (HostCallHook(_called(self.host_call)),) if self.host_call else ()
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=(*(self.training_hooks or ()), *hooks),
            evaluation_hooks=(*(self.evaluation_hooks or ()), *hooks),
            prediction_hooks=(*(self.prediction_hooks or ()), *hooks),
        )


def _called(pair):
    if not pair:
        return None
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)
