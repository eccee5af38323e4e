"""FT120 · a DNNClassifier or DNNRegressor over numeric columns

A premade DNN, under its v1 or v2 name, whose feature columns are all plain ``numeric_column``s.

Instead: the same model in Keras, with a visible ``tf.train.CheckpointManager`` behind a callback that obeys it: one
``tf.keras.Input`` a column, flattened and joined in the order of their names, which is the Estimator's, and a stack of
Dense and Dropout layers. Features that the model does not use are left out of a dataset whose keys are not written out:
Keras 3 would take one for another. The loss keeps the Estimator's reduction: v1 names sum over the batch, v2 names take
the mean. ``evaluate`` reports the same metrics under the same names.

Fidelity: exact for the trained function and its metrics. Dropout draws other random numbers. A v1 classifier of two
classes interpolates ``auc_precision_recall`` in another way. Every other premade estimator, kind of column and argument
(``weight_column``, ``label_vocabulary``, ``batch_norm``, ``warm_start_from``, a partitioner) is kept exactly by an
object with the Estimator's methods (FT151), which is what ``--canned auto`` writes for it.

See: tf.estimator.DNNClassifier, tf.estimator.DNNRegressor.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.canned_head import NotCarried, read_head
from migrate.rewrite.draft import Draft
from migrate.rewrite.numeric_inputs import numeric_inputs
from migrate.rewrite.precedence import OR
from migrate.rules.rule import Example, Verdict, exact, manual, noted, rule

_OF_OBJECTS = {
    **dict.fromkeys(("weight_column", "label_vocabulary", "warm_start_from", "input_layer_partitioner")),
    "batch_norm": False,
    "label_dimension": 1,
}
"""Arguments that an object keeps and no layer of Keras, with the value that asks for nothing beside None."""
_NONE = ast.Constant(None)
_OBJECT = "Use --canned object."


@rule(
    "FT120",
    "exact",
    Example("hidden_units=[8, 4]", "for units in [8, 4]:", "estimator"),
    Example("hidden_units=[8], dropout=0.2", "tf.keras.layers.Dropout(0.2)(net)", "estimator"),
    Example("hidden_units=[8], dropout=args.every", "tf.keras.layers.Dropout(args.every or 0.0)(net)", "estimator"),
    Example("hidden_units=[8], activation_fn=tf.nn.tanh", "activation=tf.nn.tanh)", "estimator"),
    Example("hidden_units=[8], n_classes=3", "Dense(3)(net)", "estimator"),
    Example("hidden_units=[8], n_classes=args.every", None, "estimator"),
    Example("hidden_units=[8], batch_norm=True", None, "estimator"),
    Example("hidden_units=[8], weight_column='w'", None, "estimator"),
    Example("hidden_units=[8], label_vocabulary=args.words", None, "estimator"),
    Example("hidden_units=[8], warm_start_from=args.old", None, "estimator"),
    Example('[tf1.feature_column.numeric_column("x")]', 'inputs = {"x": tf.keras.Input((1,), name="x")}', "columns"),
    Example('[tf1.feature_column.numeric_column("x", shape=[2, 3])]', "tf.keras.layers.Flatten()", "columns"),
    Example('[tf1.feature_column.numeric_column("a/b")]', 'inputs = {"a/b": tf.keras.Input((1,))}', "columns"),
    Example("[tf.feature_column.embedding_column(x, 4)]", None, "columns"),
    Example("args.columns", None, "columns"),
)
def canned_keras(program: Program, draft: Draft) -> Iterator[Verdict]:
    if program.kind != "canned":
        return
    arguments, site = program.arguments, program.site.node
    missing = [name for name in ("hidden_units", "feature_columns") if name not in arguments]
    if missing and not all(keyword.arg for keyword in site.keywords):
        yield manual(site, "what **kwargs hold cannot be told", "Write the arguments out.")
    else:
        yield from (manual(site, f"{name} is missing", f"Give {name}.") for name in missing)
    kept = [name for name, none in _OF_OBJECTS.items() if literal(arguments.get(name, _NONE)) not in (None, none)]
    has_dropout = not is_none(arguments.get("dropout"))
    if has_dropout and draft.continues_input:  # no layer of Keras draws on where it stood
        kept.append("dropout")
    yield from (manual(arguments[name], f"{name} is not carried over to Keras", _OBJECT) for name in kept)
    if missing or kept:
        return
    if not numeric_inputs(draft, arguments["feature_columns"]):
        yield manual(arguments["feature_columns"], "these are not seen to be plain numeric columns alone", _OBJECT)
        return
    try:
        head = read_head(program, draft)
    except NotCarried as other:
        yield manual(other.node, other.reason, other.help)
        return
    draft.layers += _hidden_layers(program, draft)
    output = f"{draft.tf}.keras.layers.Dense({head.units})({draft.net})"
    draft.layers.append(f"{draft.model} = {draft.tf}.keras.Model({draft.inputs}, {output})")
    draft.compile_arguments.update(loss=head.loss, metrics=head.metrics)
    message = f"{program.name} becomes a Keras model with the same layers and loss"
    differences = ["Dropout draws other random numbers than the Estimator's"] if has_dropout else []
    if program.name == "DNNClassifier" and head.units == "1" and program.is_v1:
        differences.append("auc_precision_recall is interpolated in another way")
    yield (noted(site, f"{message}; {'; '.join(differences)}") if differences else exact(site, message))


def _hidden_layers(program: Program, draft: Draft) -> list[str]:
    """The loop that makes the hidden layers."""
    arguments, layers = program.arguments, f"{draft.tf}.keras.layers"
    units = draft.fresh("units")
    body = [f"{draft.net} = {layers}.Dense({units}, activation={_activation(program, draft)})({draft.net})"]
    dropout = arguments.get("dropout")
    if dropout is not None and not is_none(dropout):
        is_known = literal(dropout) is not ...
        rate = draft.text(dropout) if is_known else f"{draft.once(dropout, 'dropout', OR)} or 0.0"
        body.append(f"{draft.net} = {layers}.Dropout({rate})({draft.net})")
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
