"""FT126 · premade estimators with --canned model-fn

``DNN*``, ``Linear*``, ``DNNLinearCombined*`` and ``Baseline*`` classifiers and regressors, and TensorFlow 2's
``DNNEstimator`` and the like with a standard head, build their graph from feature columns inside TensorFlow's library,
which is gone since TensorFlow 2.16.

Instead: with ``--canned model-fn`` the estimator becomes a ``model_fn`` in your file, and is trained as a custom one
is. Its layers, loss, metrics, predictions and export are those of the Estimator, under their old names, as short
generated functions. All feature columns stay as they are, on TensorFlow 2.15 and on the newest, and without
``tf_keras``. Its variables have the names that the Estimator gave, so that the old checkpoint in the old ``model_dir``
continues, with no conversion. An estimator that is passed to other code (chosen by branches, made by a function, given
to one, set anew, trained in another file) is written in object form (FT151).

Fidelity: exact: variables and slots are equal to the last bit after 50 more steps on TensorFlow 2.15; within 1e-5 for
two classes on the newest, because its ``tf.sigmoid`` differs by a bit, and for TensorFlow 2's Adam and RMSprop. Dropout
draws other random numbers. The histograms of the layers' activations are not written for TensorBoard. Partitioners,
``LinearSDCA``, gradient clipping of Keras optimizers, ``optimizer=None`` and the columns of TensorFlow 2's
``shared_embeddings`` block the program. With ``--canned auto``, the default, a premade
estimator gets a ``model_fn`` where no Keras model trains as it does; the finding says which rule found that.

See: tf.estimator.DNNClassifier, tf.estimator.DNNLinearCombinedClassifier, tf.estimator.LinearClassifier.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rewrite.keras_optimizer import KINDS, carried, why_not_carried
from migrate.rewrite.shared_embeddings import shared_embeddings
from migrate.rules.rule import MODEL_FN, Example, Verdict, exact, manual, noted, rule

_PARTITIONERS = ("input_layer_partitioner", "partitioner")
_REDUCTIONS = {
    "SUM": "weighted_sum",
    "MEAN": "weighted_mean",
    "AUTO": "weighted_sum_over_batch_size",
    "SUM_OVER_BATCH_SIZE": "weighted_sum_over_batch_size",
    "SUM_BY_NONZERO_WEIGHTS": "weighted_sum_by_nonzero_weights",
    "SUM_OVER_NONZERO_WEIGHTS": "weighted_sum_by_nonzero_weights",
}
# The optimizer's name and rate where the program gives no optimizer, or the name alone.
_RATES = {"DNN": ("Adagrad", 0.05), "Linear": ("Ftrl", 0.2), "Baseline": ("Ftrl", 0.3)}
_KERAS_RATES = {"DNN": ("Adagrad", 0.001), "Linear": ("Ftrl", 0.2), "Baseline": ("Ftrl", 0.3)}
_COMBINED_RATES = {"dnn": ("Adagrad", 0.001), "linear": ("Ftrl", 0.005)}


@rule(
    "FT126",
    "exact",
    Example("hidden_units=[8, 4]", "def model_fn(features, labels, mode):", "estimator", kind="model-fn"),
    Example("hidden_units=[8]", 'with tf.compat.v1.variable_scope("dnn"', "estimator", kind="model-fn"),
    Example(
        "hidden_units=[8], n_classes=args.every", "CannedClasses(n_classes=n_classes)", "estimator", kind="model-fn"
    ),
    Example("hidden_units=[8], weight_column='w'", 'weight_column="w"', "estimator", kind="model-fn"),
    Example("hidden_units=[8], optimizer='Adam'", 'canned_optimizer("Adam", 0.05)', "estimator", kind="model-fn"),
    Example("hidden_units=[8], optimizer=None", None, "estimator", kind="model-fn"),
    Example(
        "hidden_units=[8], optimizer=lambda: tf1.train.AdamOptimizer("
        "tf1.train.exponential_decay(0.1, tf1.train.get_global_step(), 100, 0.9))",
        "tf1.train.exponential_decay(",
        "estimator",
        kind="model-fn",
    ),
    Example("hidden_units=[8], input_layer_partitioner=args.p", None, "estimator", kind="model-fn"),
    Example("[tf.feature_column.embedding_column(x, 4)]", "run_training(", "columns", kind="model-fn"),
    Example("tf.feature_column.shared_embeddings([x, y], 4)", None, "columns", kind="model-fn"),
    Example(
        "tf1.feature_column.shared_embedding_columns([x, y], 4)",
        "tf1_shared_embedding_columns([x, y], 4)",
        "columns",
        kind="model-fn",
    ),
    kinds=MODEL_FN,
    needs=("model_dir", "seed", "strategy", "names"),
    settles=("model_fn",),
)
def canned_model_fn(program: Program, draft: Draft) -> Iterator[Verdict]:
    problems = list(_problems(program, draft))
    yield from problems
    if problems:
        return
    writer = _Writer(program, draft)
    draft.before.append("\n".join([*writer.lines(), ""]))
    message = f"{program.name} becomes a model_fn with the same variables, loss and metrics"
    draft.model_fn = writer.name
    if draft.policy.warm_start is not None:
        draft.repeatable(draft.policy.warm_start, "warm_start_from")
    dropout = next((program.arguments[n] for n in ("dropout", "dnn_dropout") if n in program.arguments), None)
    if is_none(dropout):
        yield exact(program.site.node, message)
    else:
        yield noted(program.site.node, f"{message}; Dropout draws other random numbers than the Estimator's")


def _problems(program: Program, draft: Draft) -> Iterator[Verdict]:
    arguments, site = program.arguments, program.site.node
    if draft.uses_backup:
        help = "Use --recovery checkpoint-manager."
        yield manual(site, "BackupAndRestore belongs to Keras's fit, and a model_fn trains in a loop of its own", help)
    for name in _PARTITIONERS:
        if not is_none(arguments.get(name)):
            yield manual(arguments[name], f"{name} splits variables, which is not carried over", "Take it out.")
    for name in ("optimizer", "dnn_optimizer", "linear_optimizer"):
        given = arguments.get(name)
        if given is not None and is_none(given):
            yield manual(given, f"{name}=None leaves the rate to the number of columns", f"Give {name}.")
        found = symbol_of(program.module.names, given.func) if isinstance(given, ast.Call) else None
        if given is not None and found is not None and found.tail.endswith("LinearSDCA"):
            yield manual(given, "LinearSDCA trains without gradients, in operations of its own", "Use Ftrl.")
        elif given is not None and not program.is_v1:
            not_carried = why_not_carried(draft, given)
            if not_carried is not None:
                yield manual(given, not_carried, "Give the name of an optimizer, or one of tf.keras.")
    if "loss_reduction" in arguments and _reduction(arguments["loss_reduction"]) is None:
        yield manual(arguments["loss_reduction"], "this loss_reduction is not known", "Name one of losses.Reduction.")
    for node, reason in shared_embeddings(draft, "tf1_shared_embedding_columns"):
        yield manual(node, reason, "Make the columns and the model_fn's layers in a model_fn of your own.")


def _reduction(given: ast.expr) -> str | None:
    name = given.attr if isinstance(given, ast.Attribute) else literal(given)
    return _REDUCTIONS.get(str(name), str(name) if name in _REDUCTIONS.values() else None)


class _Writer:
    """Writes the model_fn of one canned estimator."""

    def __init__(self, program: Program, draft: Draft) -> None:
        self.program, self.draft = program, draft
        self.name = draft.fresh("model_fn")
        self.v1 = f"{draft.tf}.compat.v1"
        # TensorFlow 1's optimizer stands in the scope of the variables, which shows in the names of the slots.
        self.inside = "    " if program.is_v1 else ""

    def lines(self) -> list[str]:
        kind = self.program.name.removesuffix("Classifier").removesuffix("Regressor")
        body = {"DNN": self._dnn, "Linear": self._linear, "Baseline": self._baseline}.get(kind, self._combined)()
        return [f"def {self.name}(features, labels, mode):", f"    head = {self._head()}", *(f"    {b}" for b in body)]

    def _head(self) -> str:
        names = ["weight_column"]
        if self.program.name.endswith("Classifier"):
            piece, names = "CannedClasses", ["n_classes", "label_vocabulary", *names]
        else:
            piece, names = "CannedRegression", ["label_dimension", *names]
        made = self.draft.piece(piece)
        settings = self._settings({name: name for name in names})
        given = self.program.arguments.get("loss_reduction")
        if given is not None:
            settings.append(f'loss_reduction="{_reduction(given)}"')
        elif not self.program.is_v1:
            settings.append('loss_reduction="weighted_sum_over_batch_size"')
        if not self.program.is_v1 and piece == "CannedClasses":
            settings.append('pr_curve="careful_interpolation"')
        return f"{made}({', '.join(settings)})"

    def _dnn(self) -> list[str]:
        names = {"activation_fn": "activation_fn", "dropout": "dropout", "batch_norm": "batch_norm"}
        logits = self._dnn_logits("feature_columns", "hidden_units", names)
        return [
            self._scope("dnn"),
            f"    logits = {logits}",
            f"{self.inside}return {self._spec('logits', self._train_one('dnn', 'DNN'))}",
        ]

    def _linear(self) -> list[str]:
        logits = self._linear_logits("feature_columns", "sparse_combiner")
        return [
            self._scope("linear"),
            f"    logits = {logits}",
            f"{self.inside}return {self._spec('logits', self._train_one('linear', 'Linear'))}",
        ]

    def _baseline(self) -> list[str]:
        return [
            f'with {self.v1}.variable_scope("baseline"):',
            f"    logits = {self.draft.piece('baseline_logits')}(features, head.units)",
            f"return {self._spec('logits', self._train_one('baseline', 'Baseline'))}",
        ]

    def _combined(self) -> list[str]:
        arguments = self.program.arguments
        lines, parts, optimizers = [], [], []
        if not is_none(arguments.get("dnn_feature_columns")):
            names = {"activation_fn": "dnn_activation_fn", "dropout": "dnn_dropout", "batch_norm": "batch_norm"}
            logits = self._dnn_logits("dnn_feature_columns", "dnn_hidden_units", names)
            lines += [self._scope("dnn"), f"    dnn = {logits}"]
            parts.append("dnn")
        if not is_none(arguments.get("linear_feature_columns")):
            logits = self._linear_logits("linear_feature_columns", "linear_sparse_combiner")
            lines += [self._scope("linear"), f"    linear = {logits}"]
            parts.append("linear")
        for part in parts:
            optimizers.append(f'"{part}": {self._optimizer(f"{part}_optimizer", *_COMBINED_RATES[part])}')
        train = self._train(f"{{{', '.join(optimizers)}}}")
        return [*lines, f"return {self._spec(' + '.join(parts), train)}"]

    def _train_one(self, scope: str, kind: str) -> str:
        optimizer = self._optimizer("optimizer", *(_RATES if self.program.is_v1 else _KERAS_RATES)[kind])
        return self._train(optimizer if self.program.is_v1 else f'{{"{scope}": {optimizer}}}')

    def _scope(self, name: str) -> str:
        if not self.program.is_v1:
            return f'with {self.v1}.variable_scope("{name}"):'
        whole_variables = self.draft.piece("whole_variables")
        return f'with {self.v1}.variable_scope("{name}", partitioner={whole_variables}()):'

    def _dnn_logits(self, columns: str, units: str, names: dict[str, str]) -> str:
        given = [self._given(columns), self._given(units), "head.units", "mode", *self._settings(names)]
        return f"{self.draft.piece('dnn_logits')}(features, {', '.join(given)})"

    def _linear_logits(self, columns: str, combiner: str) -> str:
        given = [self._given(columns), "head.units", *self._settings({"sparse_combiner": combiner})]
        return f"{self.draft.piece('linear_logits')}(features, {', '.join(given)})"

    def _optimizer(self, name: str, default: str, rate: float) -> str:
        if not self.program.is_v1:
            return self._keras_optimizer(name, default, rate)
        optimizer = self._given(name) if name in self.program.arguments else f'"{default}"'
        return f"{self.draft.piece('canned_optimizer')}({optimizer}, {rate})"

    def _keras_optimizer(self, name: str, default: str, rate: float) -> str:
        given = self.program.arguments.get(name)
        if given is None or isinstance(given, ast.Constant):
            kind = KINDS[default if given is None else str(literal(given))]
            is_own_default = kind == "SGD" and name == "optimizer" and self.program.name.startswith("DNN")
            return f'{self.draft.piece("CannedKerasOptimizer")}("{kind}", {0.01 if is_own_default else rate})'
        made = carried(self.draft, given)
        if isinstance(given, ast.Name):
            edit = ReplaceExpression(self.program.module.span(made.call), made.text)
            if edit not in self.draft.edits:
                self.draft.edits.append(edit)
            return given.id
        variable = self.draft.fresh(name)
        self.draft.before.append(f"{variable} = {made.text}")
        return variable

    def _train(self, optimizer: str) -> str:
        piece = "canned_train_op" if self.program.is_v1 else "canned_keras_train_op"
        return f"lambda loss: {self.draft.piece(piece)}(loss, {optimizer})"

    def _spec(self, logits: str, train: str) -> str:
        return f"head.spec(features, labels, mode, {logits}, {train})"

    def _settings(self, names: dict[str, str]) -> list[str]:
        """The keyword arguments of a piece, by its own name and by the estimator's, that the program gives."""
        return [f"{own}={self._given(name)}" for own, name in names.items() if name in self.program.arguments]

    def _given(self, name: str) -> str:
        """An argument as the model_fn may read it later: with the value that it has where the estimator was made."""
        node, names = self.program.arguments[name], self.program.module.names
        if isinstance(node, ast.Name):
            if len(names.bound(node)) == 1:
                return self.draft.text(node)
        elif literal(node) is not ...:
            return self.draft.text(node)
        variable = self.draft.fresh(name)
        self.draft.before.append(f"{variable} = {self.draft.text(node)}")
        return variable
