"""The head of ``tf.estimator`` that joins several."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.canned_head import CannedHead
from migrate.recovery.estimator_heads import KerasTrained
from migrate.recovery.model_fn_serving import PredictOutput
from migrate.recovery.model_fn_spec import EstimatorSpec


class MultiHead(KerasTrained, CannedHead):
    """A head for several objectives at once, as ``tf.estimator.MultiHead``.

    Labels are a dict by the names of the heads; logits too, or a tensor of them all.

    Args:
      heads: each with a name; the first is the default one to serve.
      head_weights: what each head's loss counts; None for 1.

    Raises:
      ValueError: there is no head, or one without a name, or another number of weights.
    """

    def __init__(self, heads, head_weights=None):
        if not heads or not all(head.name for head in heads):
            raise ValueError(f"Each head must have a name, given: {heads}.")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError("heads and head_weights must have the same size.")
        reduction, name = heads[0].loss_reduction, "_".join(one.name for one in heads)
        super().__init__(loss_reduction=reduction, name=name)
        self.units = sum(head.units for head in heads)
        self._heads, self._head_weights = heads, head_weights or [1.0] * len(heads)

    def spec(
        self,
        features,
        labels,
        mode,
        logits,
        train_op_fn,
        update_ops=None,
        regularization_losses=None,
    ):
        """Returns the ``EstimatorSpec`` for one mode, as ``CannedHead.spec`` does."""
        names = [head.name for head in self._heads]
        if not isinstance(logits, dict):
            parts = tf.split(logits, [head.units for head in self._heads], -1)
            logits = dict(zip(names, parts))
        for given in (logits,) if mode == "infer" else (logits, labels):
            missing = sorted(set(names).difference(given))
            if missing:
                raise ValueError(f"No logits or labels for head(s): {missing}")
        specs = {
            head.name: head.spec(
                features,
                labels and labels[head.name],
                mode,
                logits[head.name],
                lambda loss: tf.no_op(),
                update_ops=(),
            )
            for head in self._heads
        }
        predictions = {
            (name, key): value
            for name, spec in specs.items()
            for key, value in spec.predictions.items()
        }
        if mode == "infer":
            outputs = _outputs_of(specs)
            return EstimatorSpec(mode, predictions, export_outputs=outputs)
        losses = [spec.loss for spec in specs.values()]
        loss = tf.add_n([a * b for a, b in zip(losses, self._head_weights)])
        settings = train_op_fn, update_ops, regularization_losses
        spec = self._spec_of(mode, predictions, loss, {}, *settings)
        if mode == "eval":
            metrics = dict(spec.eval_metric_ops)
            for name, own in specs.items():
                metrics[f"loss/{name}"] = tf1.metrics.mean(own.loss)
                metrics.update(own.eval_metric_ops)
            return EstimatorSpec(mode, predictions, spec.loss, None, metrics)
        return spec


def _outputs_of(specs):
    """Returns the outputs of a request: the first head's, and each head's by name."""
    first = next(iter(specs.values()))
    outputs = {"serving_default": first.export_outputs["serving_default"]}
    merged = {}
    for name, spec in specs.items():
        for key, output in spec.export_outputs.items():
            outputs[name if key == "serving_default" else f"{name}/{key}"] = output
        for key, value in spec.export_outputs["predict"].outputs.items():
            merged[f"{name}/{key}"] = value
    return {**outputs, "predict": PredictOutput(merged)}
