"""What a premade estimator's head becomes in Keras: logits, loss and metrics."""

import ast
from dataclasses import dataclass

from migrate.analysis.arguments import literal
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft

_REDUCTIONS = {
    "SUM": "sum",
    "SUM_OVER_BATCH_SIZE": "sum_over_batch_size",
    "MEAN": "sum_over_batch_size",  # v1's weighted mean; without a weight column that is the mean
}


class NotCarried(Exception):
    """An argument that has no Keras counterpart.

    Attributes:
      node: the argument.
      reason: why not.
      help: what the user can do.
    """

    def __init__(self, node: ast.expr, reason: str, help: str = "Use --canned object.") -> None:
        super().__init__(reason)
        self.node, self.reason, self.help = node, reason, help


@dataclass(frozen=True)
class Head:
    """What stands in the new code.

    Attributes:
      units: how many logits there are.
      loss: the Keras loss.
      metrics: the metrics of ``evaluate``.
    """

    units: str
    loss: str
    metrics: str


def read_head(program: Program, draft: Draft) -> Head:
    """The head that the arguments ask for.

    Raises:
      NotCarried: Keras has no such head.
    """
    reduction = _reduction(program)
    if program.is_v1 and reduction == "sum":  # such heads of TensorFlow 1 show the mean beside the sum
        draft.tags = '{"loss": "loss", "average_loss": "average_loss"}'
    of_kind = _classes if program.name.endswith("Classifier") else _values
    return of_kind(program, draft, f'reduction="{reduction}"')


def _classes(program: Program, draft: Draft, reduction: str) -> Head:
    given = program.arguments.get("n_classes")
    classes = 2 if given is None else literal(program.module.names.value(given))
    if not isinstance(classes, int):
        assert given is not None
        reason = "n_classes is not known before the program runs, and two classes have another loss than more"
        raise NotCarried(given, reason, "Write the number of classes as a literal, or use --canned object.")
    losses, metrics = f"{draft.tf}.keras.losses", f"{draft.tf}.keras.metrics"
    if classes > 2:
        assert given is not None
        return Head(
            draft.text(given),
            f"{losses}.SparseCategoricalCrossentropy(from_logits=True, {reduction})",
            f'[{metrics}.SparseCategoricalAccuracy("accuracy"),'
            f' {metrics}.SparseCategoricalCrossentropy("average_loss", from_logits=True)]',
        )
    binary = f"{losses}.BinaryCrossentropy(from_logits=True, {reduction})"
    return Head("1", binary, f"{draft.piece('two_class_metrics')}()")


def _values(program: Program, draft: Draft, reduction: str) -> Head:
    return Head("1", f"{draft.tf}.keras.losses.MeanSquaredError({reduction})", f"{draft.piece('value_metrics')}()")


def _reduction(program: Program) -> str:
    given = program.arguments.get("loss_reduction")
    if given is None:
        return "sum" if program.is_v1 else "sum_over_batch_size"
    name = given.attr if isinstance(given, ast.Attribute) else literal(given)
    reduction = _REDUCTIONS.get(str(name), str(name) if name in _REDUCTIONS.values() else None)
    if reduction is None:
        raise NotCarried(given, "this loss_reduction has no Keras counterpart", "Use SUM or SUM_OVER_BATCH_SIZE.")
    return reduction
