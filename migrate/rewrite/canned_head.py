"""What a canned estimator's head becomes in Keras: logits, loss, metrics, and what its labels and weights are."""

import ast
from dataclasses import dataclass

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft

_REDUCTIONS = {
    "SUM": "sum",
    "SUM_OVER_BATCH_SIZE": "sum_over_batch_size",
    "MEAN": "sum_over_batch_size",  # v1's weighted mean; without a weight column that is the mean
}

_READERS = ("enumerate", "len", "range")


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
      metrics_argument: what ``compile`` calls them: those that heed the weights of the examples are others.
    """

    units: str
    loss: str
    metrics: str
    metrics_argument: str


def read_head(program: Program, draft: Draft) -> Head:
    """The head that the arguments ask for.

    Raises:
      NotCarried: Keras has no such head.
    """
    weight = program.arguments.get("weight_column")
    if weight is not None and not is_none(weight):
        value = program.module.names.value(weight)
        if not isinstance(literal(value), str):
            raise NotCarried(weight, "weight_column is not the name of a feature as a string in this file")
        draft.weight = weight
    vocabulary = program.arguments.get("label_vocabulary")
    if vocabulary is not None and not is_none(vocabulary):
        draft.class_names = draft.repeatable(vocabulary, "label_vocabulary")
    reduction = _reduction(program, draft)
    if program.is_v1 and reduction == "sum":  # such heads of TensorFlow 1 show the mean beside the sum
        draft.tags = '{"loss": "loss", "average_loss": "average_loss"}'
    of_kind = _classes if program.name.endswith("Classifier") else _values
    units, loss, metrics = of_kind(program, draft, f'reduction="{reduction}"')
    argument = "metrics" if draft.weight is None else "weighted_metrics"
    return Head(units, loss, metrics, argument)


def _classes(program: Program, draft: Draft, reduction: str) -> tuple[str, str, str]:
    given = program.arguments.get("n_classes")
    value = given and program.module.names.value(given)
    classes = 2 if given is None else _length(program.module.names, value) or literal(value)
    if not isinstance(classes, int):
        assert given is not None
        reason = "n_classes is not known before the program runs, and two classes have another loss than more"
        raise NotCarried(given, reason, "Write the number of classes as a literal, or use --canned model-fn.")
    losses, metrics = f"{draft.tf}.keras.losses", f"{draft.tf}.keras.metrics"
    if classes > 2:
        assert given is not None
        return (
            draft.text(given),
            f"{losses}.SparseCategoricalCrossentropy(from_logits=True, {reduction})",
            f'[{metrics}.SparseCategoricalAccuracy("accuracy"),'
            f' {metrics}.SparseCategoricalCrossentropy("average_loss", from_logits=True)]',
        )
    return "1", f"{losses}.BinaryCrossentropy(from_logits=True, {reduction})", f"{draft.piece('two_class_metrics')}()"


def _length(names: Names, value: ast.expr | None) -> int | None:
    """What ``len`` gives for a list that stands in the file and that nothing changes; None for anything else."""
    is_length = isinstance(value, ast.Call) and _builtin(names, value.func) == "len"
    listed = value.args[0] if isinstance(value, ast.Call) and is_length and len(value.args) == 1 else None
    words = names.only_value(listed)
    if not isinstance(words, ast.List | ast.Tuple):
        return None
    if any(isinstance(word, ast.Starred) for word in words.elts):
        return None
    if any(not _only_reads(names, use) for use in names.reads_of(listed)):
        return None
    return len(words.elts)


def _only_reads(names: Names, use: ast.Name) -> bool:
    """Whether a use of a list is an argument of TensorFlow, numpy or ``len``."""
    parent = names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call):
        return False
    qualified = names.qualified(call.func) or ""
    return _builtin(names, call.func) in _READERS or qualified.startswith(("tensorflow.", "numpy."))


def _builtin(names: Names, function: ast.expr) -> str | None:
    """The name of a function that the file does not define, such as ``len``."""
    if isinstance(function, ast.Name) and names.scope_of(function).lookup(function.id) is None:
        return function.id
    return None


def _values(program: Program, draft: Draft, reduction: str) -> tuple[str, str, str]:
    metrics = f"{draft.piece('value_metrics')}()"
    dimension = program.arguments.get("label_dimension")
    units = "1" if dimension is None or literal(dimension) == 1 else draft.repeatable(dimension, "label_dimension")
    if units != "1" and reduction == 'reduction="sum"':  # Keras's own takes the mean of an example's values
        return units, f"{draft.piece('SumOfSquares')}({reduction})", metrics
    return units, f"{draft.tf}.keras.losses.MeanSquaredError({reduction})", metrics


def _reduction(program: Program, draft: Draft) -> str:
    given = program.arguments.get("loss_reduction")
    if given is None:
        return "sum" if program.is_v1 else "sum_over_batch_size"
    name = given.attr if isinstance(given, ast.Attribute) else literal(given)
    if name == "MEAN" and draft.weight is not None:
        raise NotCarried(given, "Keras has no mean over the weights of the examples")
    reduction = _REDUCTIONS.get(str(name), str(name) if name in _REDUCTIONS.values() else None)
    if reduction is None:
        raise NotCarried(given, "this loss_reduction has no Keras counterpart", "Use SUM or SUM_OVER_BATCH_SIZE.")
    return reduction
