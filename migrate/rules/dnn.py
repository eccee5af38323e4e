"""FT120 · DNNClassifier, DNNRegressor

Canned feed-forward networks over feature columns, under their v1 and v2 names.

Instead: the same network as a ``tf.keras.Model`` of Dense, Dropout and BatchNormalization layers, with a visible
``tf.train.CheckpointManager`` behind a ``CheckpointRecovery`` callback. The loss keeps the Estimator's reduction: v1
names sum over the batch, v2 names take the mean. ``evaluate`` reports the same metrics under the same names.

Fidelity: exact for the trained function and its metrics. Dropout draws other random numbers. With batch normalization
and Adam the weights drift apart by rounding. A v1 classifier of two classes interpolates ``auc_precision_recall`` in
another way. ``weight_column``, ``label_vocabulary``, ``warm_start_from``, ``input_layer_partitioner`` and a
``label_dimension`` other than 1 leave the program.

See: tf.estimator.DNNClassifier, tf.compat.v1.estimator.DNNClassifier.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.draft import Draft
from migrate.rewrite.precedence import OR
from migrate.rules.rule import DNN, Example, Verdict, exact, manual, noted, rule

_NOT_CARRIED = ("weight_column", "label_vocabulary", "warm_start_from", "input_layer_partitioner")
_REDUCTIONS = {
    "SUM": "sum",
    "SUM_OVER_BATCH_SIZE": "sum_over_batch_size",
    "MEAN": "sum_over_batch_size",  # v1's weighted mean; without a weight column that is the mean
}


@rule(
    "FT120",
    "exact",
    Example("hidden_units=[8, 4]", "for units in [8, 4]:", "estimator"),
    Example("hidden_units=[8], dropout=0.2", "tf.keras.layers.Dropout(0.2)(net)", "estimator"),
    Example("hidden_units=[8], dropout=args.every", "tf.keras.layers.Dropout(args.every or 0.0)(net)", "estimator"),
    Example("hidden_units=[8], batch_norm=True", "BatchNormalization(momentum=0.999)(net)", "estimator"),
    Example("hidden_units=[8], activation_fn=tf.nn.tanh", "activation=tf.nn.tanh)", "estimator"),
    Example("hidden_units=[8], n_classes=3", "Dense(3)(net)", "estimator"),
    Example("hidden_units=[8], n_classes=args.every", None, "estimator"),
    Example("hidden_units=[8], weight_column='w'", None, "estimator"),
    kinds=DNN,
)
def dnn(program: Program, draft: Draft) -> Iterator[Verdict]:
    arguments, site = program.arguments, program.site.node
    for name in _NOT_CARRIED:
        if not is_none(arguments.get(name)):
            yield manual(arguments[name], f"{name} is not carried over yet", "Use --canned model-fn.")
    if "hidden_units" not in arguments:
        yield manual(site, "hidden_units is missing", "Give hidden_units.")
        return
    head = _classifier_head(program, draft) if program.name == "DNNClassifier" else _regressor_head(program, draft)
    reduction = _reduction(program)
    if isinstance(head, Verdict) or isinstance(reduction, Verdict):
        yield from (verdict for verdict in (head, reduction) if isinstance(verdict, Verdict))
        return
    units, loss, metrics = head
    keras = f"{draft.tf}.keras"
    draft.layers += _hidden_layers(program, draft)
    draft.layers.append(f"{draft.model} = {keras}.Model({draft.inputs}, {keras}.layers.Dense({units})({draft.net}))")
    draft.compile_arguments.update(loss=f"{keras}.losses.{loss.format(repr(reduction))}", metrics=metrics)
    message = f"{program.name} becomes a Keras model with the same layers and loss"
    differences = list(_differences(program, units))
    yield noted(site, f"{message}; {'; '.join(differences)}") if differences else exact(site, message)


def _differences(program: Program, units: str) -> Iterator[str]:
    if not is_none(program.arguments.get("dropout")):
        yield "Dropout draws other random numbers than the Estimator's"
    if literal(program.arguments.get("batch_norm", ast.Constant(False))) is not False:
        yield "with Adam and batch normalization the weights drift apart by rounding"
    if program.name == "DNNClassifier" and units == "1" and program.is_v1:
        yield "auc_precision_recall is interpolated in another way"


def _hidden_layers(program: Program, draft: Draft) -> list[str]:
    arguments, layers, net = program.arguments, f"{draft.tf}.keras.layers", draft.net
    units = draft.fresh("units")
    activation = _activation(program, draft)
    body = [f"{net} = {layers}.Dense({units}, activation={activation})({net})"]
    dropout = arguments.get("dropout")
    if dropout is not None and not is_none(dropout):
        is_known = literal(dropout) is not ...
        rate = draft.text(dropout) if is_known else f"{draft.once(dropout, 'dropout', OR)} or 0.0"
        seed = "ResumableDropout" if draft.continues_input else f"{layers}.Dropout"
        if draft.continues_input:
            draft.pieces.add("ResumableDropout")
        body.append(f"{net} = {seed}({rate})({net})")
    batch_norm = arguments.get("batch_norm")
    if batch_norm is not None and literal(batch_norm) is ...:
        condition = draft.repeatable(batch_norm, "batch_norm")
        body.append(f"if {condition}:\n        {net} = {layers}.BatchNormalization(momentum=0.999)({net})")
    elif batch_norm is not None and literal(batch_norm):
        body.append(f"{net} = {layers}.BatchNormalization(momentum=0.999)({net})")
    lines = "\n    ".join(body)
    return [f"for {units} in {draft.text(arguments['hidden_units'])}:\n    {lines}"]


def _activation(program: Program, draft: Draft) -> str:
    given = program.arguments.get("activation_fn")
    if given is None:
        return '"relu"'
    found = symbol_of(program.module.names, given)
    if found is not None and found.tail.startswith("nn."):
        return f"{draft.tf}.{found.tail}"
    return draft.once(given, "activation")


def _classifier_head(program: Program, draft: Draft) -> tuple[str, str, str] | Verdict:
    """The logits' width, the loss as it follows ``tf.keras.losses.``, and the metrics."""
    given = program.arguments.get("n_classes")
    value = given
    if isinstance(given, ast.Name):
        value = program.module.names.only_value(given)
    classes = 2 if given is None else literal(value)
    if not isinstance(classes, int):
        assert given is not None
        return manual(
            given,
            "n_classes is not known before the program runs, and two classes have another loss than more",
            "Write the number of classes as a literal, or use --canned model-fn.",
        )
    if classes > 2:
        assert given is not None
        metrics = f"{draft.tf}.keras.metrics"
        return (
            draft.text(given),
            "SparseCategoricalCrossentropy(from_logits=True, reduction={})",
            f'[{metrics}.SparseCategoricalAccuracy("accuracy"),'
            f' {metrics}.SparseCategoricalCrossentropy("average_loss", from_logits=True)]',
        )
    draft.pieces.add("two_class_metrics")
    return "1", "BinaryCrossentropy(from_logits=True, reduction={})", "two_class_metrics()"


def _regressor_head(program: Program, draft: Draft) -> tuple[str, str, str] | Verdict:
    dimension = program.arguments.get("label_dimension")
    if dimension is not None and literal(dimension) != 1:
        return manual(
            dimension,
            "label_dimension other than 1 is not carried over yet",
            "Use --canned model-fn.",
        )
    draft.pieces.add("value_metrics")
    return "1", "MeanSquaredError(reduction={})", "value_metrics()"


def _reduction(program: Program) -> str | Verdict:
    given = program.arguments.get("loss_reduction")
    if given is None:
        return "sum" if program.is_v1 else "sum_over_batch_size"
    name = given.attr if isinstance(given, ast.Attribute) else literal(given)
    reduction = _REDUCTIONS.get(str(name), str(name) if name in _REDUCTIONS.values() else None)
    if reduction is None:
        return manual(given, "this loss_reduction has no Keras counterpart", "Use SUM or SUM_OVER_BATCH_SIZE.")
    return reduction
