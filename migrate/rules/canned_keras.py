"""FT120 · DNN*, Linear*, DNNLinearCombined* and Baseline* classifiers and regressors

Canned models over feature columns, under their v1 and v2 names.

Instead: the same model in Keras, with a visible ``tf.train.CheckpointManager`` behind a callback that obeys it. A DNN
is a stack of Dense, Dropout and BatchNormalization layers, a linear model one ``LinearColumns`` layer, a combined one a
``WideAndDeep`` model, whose two parts have an optimizer each. The loss keeps the Estimator's reduction: v1 names sum
over the batch, v2 names take the mean. ``evaluate`` reports the same metrics under the same names. ``weight_column``
becomes the sample weights of the dataset, ``label_vocabulary`` a lookup in it. ``WarmStartSettings`` is generated.

Fidelity: exact for the trained function and its metrics. Dropout draws other random numbers. With batch normalization
and Adam the weights drift apart by rounding. A v1 classifier of two classes interpolates ``auc_precision_recall`` in
another way. Variables that a partitioner split are whole, and trained the same; ``estimator-migrate checkpoint`` joins
their parts. ``warm_start_from`` takes the same variables, from an Estimator's checkpoint or from that of a migrated
program with the same model, where the job has none of its own; a job that has one needs the other no more. In a
``WarmStartSettings``, lists of variables, other names and changed vocabularies block the program. So do a weighted mean
(``loss_reduction=MEAN`` with a ``weight_column``) and a ``weight_column`` that is no literal.

See: tf.estimator.DNNClassifier, tf.estimator.LinearClassifier, tf.estimator.DNNLinearCombinedClassifier.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.canned_head import Head, NotCarried, read_head
from migrate.rewrite.draft import Draft
from migrate.rewrite.numeric_inputs import numeric_inputs
from migrate.rewrite.precedence import OR
from migrate.rules.rule import CANNED, Example, Verdict, exact, manual, noted, rule

_WARM_START = (
    "ckpt_to_initialize_from", "vars_to_warm_start", "var_name_to_vocab_info", "var_name_to_prev_var_name",
)  # fmt: skip
_PARTITIONERS = ("input_layer_partitioner", "partitioner")
_MODEL_FN = "Use --canned object."


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
    Example("hidden_units=[8], weight_column='w'", "model = FeatureNetwork(layers)", "estimator"),
    Example("hidden_units=[8], label_vocabulary=args.words", "class_ids(labels, args.words)", "estimator"),
    Example("hidden_units=[8], warm_start_from=args.old", "warm_start_from=args.old", "estimator"),
    Example(
        "hidden_units=[8], warm_start_from=tf1.estimator.WarmStartSettings(args.old, vars_to_warm_start='dnn/h')",
        'warm_start_from=WarmStartSettings(args.old, vars_to_warm_start="dnn/h")',
        "estimator",
    ),
    Example(
        "hidden_units=[8], warm_start_from=tf1.estimator.WarmStartSettings(args.old, ['dnn/h'])", None, "estimator"
    ),
    Example("hidden_units=[8], input_layer_partitioner=args.parts", "tf.keras.layers.Dense(units", "estimator"),
    kinds=CANNED,
    needs=("config", "model_dir", "seed"),
    settles=("model",),
)
def canned_keras(program: Program, draft: Draft) -> Iterator[Verdict]:
    arguments, site = program.arguments, program.site.node
    problems = [*_start_warm(program, draft)]
    head = None
    try:
        head = read_head(program, draft)
    except NotCarried as other:
        problems.append(manual(other.node, other.reason, other.help))
    kind = program.name.removesuffix("Classifier").removesuffix("Regressor")
    needed = {"DNN": ("hidden_units", "feature_columns"), "Linear": ("feature_columns",)}.get(kind, ())
    missing = [name for name in needed if name not in arguments]
    if missing and not all(keyword.arg for keyword in site.keywords):
        problems.append(manual(site, "what **kwargs hold cannot be told", "Write the arguments out."))
    else:
        problems += [manual(site, f"{name} is missing", f"Give {name}.") for name in missing]
    if kind == "DNNLinearCombined":
        problems += _problems_of_both(program, draft)
    yield from problems
    if problems or head is None:
        return
    writer = {"DNN": _dnn, "Linear": _linear, "Baseline": _baseline}.get(kind, _combined)
    writer(program, draft, head)
    draft.compile_arguments.update(loss=head.loss, **{head.metrics_argument: head.metrics})
    message = f"{program.name} becomes a Keras model with the same layers and loss"
    differences = list(_differences(program, head.units))
    yield noted(site, f"{message}; {'; '.join(differences)}") if differences else exact(site, message)


def _start_warm(program: Program, draft: Draft) -> Iterator[Verdict]:
    """Hands what the model begins with to the callback that restores."""
    given = program.arguments.get("warm_start_from")
    if given is None or is_none(given):
        return
    if draft.uses_backup:
        yield manual(given, "warm_start_from needs a CheckpointManager", "Use --recovery checkpoint-manager.")
    names = program.module.names
    call = names.value(given)
    found = symbol_of(names, call.func) if isinstance(call, ast.Call) else None
    if isinstance(call, ast.Call) and found is not None and found.tail == "estimator.WarmStartSettings":
        try:
            arguments = bind(call, _WARM_START, no_others=True)
        except Unbindable as reason:
            yield manual(call, str(reason), "Write the arguments out.")
            return
        pattern = literal(arguments.get("vars_to_warm_start", ast.Constant(".*")))
        if not isinstance(pattern, str) or "$" in pattern:
            yield manual(call, "vars_to_warm_start is no literal pattern for the beginnings of names", _MODEL_FN)
        for name in ("var_name_to_vocab_info", "var_name_to_prev_var_name"):
            if not is_none(arguments.get(name)):
                yield manual(call, f"{name} is not carried over to Keras", _MODEL_FN)
        draft.renamed[call.func] = draft.piece("WarmStartSettings")
        draft.edits.append(ReplaceExpression(program.module.span(call.func), draft.renamed[call.func]))
        draft.shared.append(names.statement_of(call))


def _problems_of_both(program: Program, draft: Draft) -> Iterator[Verdict]:
    for name in ("linear_feature_columns", "dnn_feature_columns", "dnn_hidden_units"):
        if is_none(program.arguments.get(name)):
            yield manual(program.site.node, f"{name} is missing, so that one part alone trains", _MODEL_FN)
            return
    if draft.uses_backup:
        help = "Use --recovery checkpoint-manager."
        yield manual(program.site.node, "BackupAndRestore saves one optimizer, and a combined model has two", help)


def _differences(program: Program, units: str) -> Iterator[str]:
    if not all(is_none(program.arguments.get(name)) for name in ("dropout", "dnn_dropout")):
        yield "Dropout draws other random numbers than the Estimator's"
    if not all(is_none(program.arguments.get(name)) for name in _PARTITIONERS):
        yield "its variables are whole, where a partitioner split them over parameter servers"
    if literal(program.arguments.get("batch_norm", ast.Constant(False))) is not False:
        yield "with Adam and batch normalization the weights drift apart by rounding"
    if program.name.endswith("Classifier") and units == "1" and program.is_v1:
        yield "auc_precision_recall is interpolated in another way"


def _dnn(program: Program, draft: Draft, head: Head) -> None:
    keras, given = f"{draft.tf}.keras", program.arguments["feature_columns"]
    if draft.weight is None and numeric_inputs(draft, given):
        draft.layers += _hidden_layers(program, draft, f"{draft.net} = {{}}({draft.net})", "")
        output = f"{keras}.layers.Dense({head.units})({draft.net})"
        draft.layers.append(f"{draft.model} = {keras}.Model({draft.inputs}, {output})")
        return
    columns = draft.repeatable(given, "columns")
    draft.layers += [*_stack(program, draft, columns, "", draft.model, head), _built(draft, columns)]


def _linear(program: Program, draft: Draft, head: Head) -> None:
    columns = draft.repeatable(program.arguments["feature_columns"], "columns")
    layer = _wide(program, draft, columns, "sparse_combiner", head)
    draft.layers += [f"{draft.model} = {draft.piece('FeatureNetwork')}([{layer}])", _built(draft, columns)]


def _combined(program: Program, draft: Draft, head: Head) -> None:
    wide = draft.repeatable(program.arguments["linear_feature_columns"], "linear_columns")
    deep = draft.repeatable(program.arguments["dnn_feature_columns"], "dnn_columns")
    variable = draft.fresh("deep_part")
    draft.reads_all_features = draft.has_two_optimizers = True
    linear = _wide(program, draft, wide, "linear_sparse_combiner", head)
    draft.layers += [
        *_stack(program, draft, deep, "dnn_", variable, head),
        f"{draft.model} = {draft.piece('WideAndDeep')}(wide={linear}, deep={variable})",
        _built(draft, f"[*{wide}, *{deep}]"),
    ]


def _baseline(program: Program, draft: Draft, head: Head) -> None:
    draft.reads_all_features = True
    layer = f"{draft.piece('BiasAlone')}({'' if head.units == '1' else head.units})"
    draft.layers.append(f"{draft.model} = {draft.piece('FeatureNetwork')}([{layer}])")
    draft.layers.append(f'{draft.model}({{"": {draft.tf}.zeros([1])}})  # makes its variables')


def _stack(program: Program, draft: Draft, columns: str, prefix: str, variable: str, head: Head) -> list[str]:
    """A stack of layers over feature columns, which stays in ``variable``."""
    draft.reads_all_features = True
    layers, keras = draft.fresh("layers"), f"{draft.tf}.keras"
    return [
        f"{layers} = [{draft.piece('DenseColumns')}({columns})]",
        *_hidden_layers(program, draft, f"{layers}.append({{}})", prefix),
        f"{layers}.append({keras}.layers.Dense({head.units}))",
        f"{variable} = {draft.piece('FeatureNetwork')}({layers})",
    ]


def _wide(program: Program, draft: Draft, columns: str, combiner: str, head: Head) -> str:
    draft.reads_all_features = True
    given = [columns, *([] if head.units == "1" else [head.units])]
    if combiner in program.arguments:
        given.append(f"sparse_combiner={draft.text(program.arguments[combiner])}")
    return f"{draft.piece('LinearColumns')}({', '.join(given)})"


def _built(draft: Draft, columns: str) -> str:
    return f"{draft.model}({draft.piece('example_batch')}({columns}))  # makes its variables"


def _hidden_layers(program: Program, draft: Draft, add: str, prefix: str) -> list[str]:
    """The loop that makes the hidden layers; ``add`` takes each, and ``prefix`` begins the arguments' names."""
    arguments, layers = program.arguments, f"{draft.tf}.keras.layers"
    units = draft.fresh("units")
    body = [add.format(f"{layers}.Dense({units}, activation={_activation(program, draft, prefix)})")]
    dropout = arguments.get(f"{prefix}dropout")
    if dropout is not None and not is_none(dropout):
        is_known = literal(dropout) is not ...
        rate = draft.text(dropout) if is_known else f"{draft.once(dropout, 'dropout', OR)} or 0.0"
        layer = draft.piece("ResumableDropout") if draft.continues_input else f"{layers}.Dropout"
        body.append(add.format(f"{layer}({rate})"))
    batch_norm = arguments.get("batch_norm")
    normalization = add.format(f"{layers}.BatchNormalization(momentum=0.999)")
    if batch_norm is not None and literal(batch_norm) is ...:
        body.append(f"if {draft.repeatable(batch_norm, 'batch_norm')}:\n        {normalization}")
    elif batch_norm is not None and literal(batch_norm):
        body.append(normalization)
    lines = "\n    ".join(body)
    return [f"for {units} in {draft.text(arguments[f'{prefix}hidden_units'])}:\n    {lines}"]


def _activation(program: Program, draft: Draft, prefix: str) -> str:
    given = program.arguments.get(f"{prefix}activation_fn")
    if given is None:
        return '"relu"'
    found = symbol_of(program.module.names, given)
    if found is not None and found.tail.startswith("nn."):
        return f"{draft.tf}.{found.tail}"
    return draft.once(given, "activation")
