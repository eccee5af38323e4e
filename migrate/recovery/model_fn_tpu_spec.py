"""What a ``model_fn`` for ``TPUEstimator`` returns, when it runs on CPU or GPU."""

from typing import Any, NamedTuple

from migrate.recovery.model_fn_spec import EstimatorSpec


class TPUEstimatorSpec(NamedTuple):
    """What a ``model_fn`` returns, as ``tf.estimator.tpu.TPUEstimatorSpec``.

    Attributes:
      mode: "train", "eval" or "infer".
      predictions, loss, train_op, export_outputs: as in ``EstimatorSpec``.
      eval_metrics: a pair of a function and its arguments, a list or a dict of tensors;
        the function returns the metrics.
      scaffold_fn: makes the ``tf.compat.v1.train.Scaffold``.
      host_call: works on a TPU's host only, and is left out here.
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
        metrics = None
        if self.eval_metrics:
            function, tensors = self.eval_metrics
            by_name = isinstance(tensors, dict)
            metrics = function(**tensors) if by_name else function(*tensors)
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks,
            evaluation_hooks=self.evaluation_hooks,
            prediction_hooks=self.prediction_hooks,
        )
