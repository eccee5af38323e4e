"""FT122 · optimizer= of a premade estimator

A ``tf.compat.v1.train`` optimizer, a name such as ``"Adam"``, or a Keras optimizer; Adagrad by default.

Instead: the Keras optimizer with the old one's constants written out, because the defaults differ: Adam's epsilon is
1e-08 in v1 and 1e-07 in Keras, a name means learning rate 0.05 in v1 and the Keras class's default in v2.

v1's RMSProp began with a mean square of 1, which is assigned after ``compile``.

Fidelity: exact to rounding: from the same checkpoint the losses of 50 steps are within 5e-6 of their size, most within
1e-6; Keras's step is several operations where the Estimator's is one, and the comparison is a test. A function of the
file that makes the optimizer and a learning rate that is computed from the global step, ``exponential_decay`` and the
like included, block the program. So do Momentum, RMSProp and Adadelta on categorical columns, Ftrl on embeddings, and
Ftrl on categorical columns under a changing rate or with ``warm_start_from``: the Estimator's train the rows of a
variable that a batch reads, and Keras's train all rows. ``--canned object`` keeps them.

See: tf.compat.v1.train.AdamOptimizer, tf.keras.optimizers.Adam.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.moves import why_not_movable
from migrate.analysis.numeric_columns import numeric_columns
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.analysis.values.made_of import made_of
from migrate.rewrite.draft import Draft
from migrate.rewrite.learning_rate import constant, is_plain, scheduled
from migrate.rules.rule import CANNED, Example, Verdict, exact, manual, noted, rule


@dataclass(frozen=True)
class _V1Optimizer:
    """How a v1 optimizer maps onto a Keras class.

    Attributes:
      keras: the Keras class.
      parameters: the v1 parameters in the order of the signature.
      renamed: v1 parameter → Keras argument, in the order to write them; others leave the program.
      constants: Keras arguments whose v1 value is another than Keras's default.
    """

    keras: str
    parameters: tuple[str, ...]
    renamed: dict[str, str]
    constants: dict[str, str] = field(default_factory=dict)


_RATE = {"learning_rate": "learning_rate"}
_V1 = {
    "AdamOptimizer": _V1Optimizer(
        "Adam",
        ("learning_rate", "beta1", "beta2", "epsilon"),
        {**_RATE, "beta1": "beta_1", "beta2": "beta_2", "epsilon": "epsilon"},
        {"learning_rate": "0.001", "epsilon": "1e-08"},
    ),
    "AdagradOptimizer": _V1Optimizer(
        "Adagrad",
        ("learning_rate", "initial_accumulator_value"),
        {**_RATE, "initial_accumulator_value": "initial_accumulator_value"},
        {"epsilon": "0.0"},
    ),
    "FtrlOptimizer": _V1Optimizer(
        "Ftrl",
        (
            "learning_rate",
            "learning_rate_power",
            "initial_accumulator_value",
            "l1_regularization_strength",
            "l2_regularization_strength",
        ),
        {
            **_RATE,
            "learning_rate_power": "learning_rate_power",
            "initial_accumulator_value": "initial_accumulator_value",
            "l1_regularization_strength": "l1_regularization_strength",
            "l2_regularization_strength": "l2_regularization_strength",
            "l2_shrinkage_regularization_strength": "l2_shrinkage_regularization_strength",
        },
    ),
    "GradientDescentOptimizer": _V1Optimizer("SGD", ("learning_rate",), _RATE),
    "MomentumOptimizer": _V1Optimizer(
        "SGD",
        ("learning_rate", "momentum", "use_locking", "name", "use_nesterov"),
        {**_RATE, "momentum": "momentum", "use_nesterov": "nesterov"},
    ),
    "RMSPropOptimizer": _V1Optimizer(
        "RMSprop",
        ("learning_rate", "decay", "momentum", "epsilon", "use_locking", "centered"),
        {**_RATE, "decay": "rho", "momentum": "momentum", "epsilon": "epsilon", "centered": "centered"},
        {"epsilon": "1e-10"},
    ),
    "AdadeltaOptimizer": _V1Optimizer(
        "Adadelta",
        ("learning_rate", "rho", "epsilon"),
        {**_RATE, "rho": "rho", "epsilon": "epsilon"},
        {"epsilon": "1e-08"},
    ),
}
_BY_NAME = {
    "Adagrad": "AdagradOptimizer",
    "Adam": "AdamOptimizer",
    "Ftrl": "FtrlOptimizer",
    "RMSProp": "RMSPropOptimizer",
    "SGD": "GradientDescentOptimizer",
}
_KERAS = {"Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD"}
_IGNORED = {"use_locking", "name"}
_HELP = "Use --canned object, or give a constant rate and an optimizer of tf.compat.v1.train or tf.keras."


@rule(
    "FT122",
    "exact",
    Example("hidden_units=[8], optimizer=tf1.train.AdamOptimizer(0.01)", "Adam(0.01, epsilon=1e-08)", "estimator"),
    Example("hidden_units=[8], optimizer='SGD'", "SGD(0.05)", "estimator"),
    Example("hidden_units=[8]", "Adagrad(0.05, epsilon=0.0)", "estimator"),
    Example(
        "hidden_units=[8], optimizer=tf1.train.MomentumOptimizer(0.1, momentum=0.9, use_nesterov=True)",
        "SGD(0.1, momentum=0.9, nesterov=True)",
        "estimator",
    ),
    Example("hidden_units=[8], optimizer='RMSProp'", "slot.assign(tf.ones(slot.shape))", "estimator"),
    Example("hidden_units=[8], optimizer=lambda: tf1.train.AdamOptimizer(0.1)", "Adam(0.1, epsilon", "estimator"),
    Example(
        "hidden_units=[8], optimizer=lambda: tf1.train.AdamOptimizer("
        "tf1.train.exponential_decay(0.1, tf1.train.get_global_step(), 100, 0.9))",
        None,
        "estimator",
    ),
    Example("hidden_units=[8], optimizer=args.optimizer", None, "estimator"),
    kinds=CANNED,
    needs=("model",),
    settles=("replaced",),
)
def optimizer(program: Program, draft: Draft) -> Iterator[Verdict]:
    found: dict[str, str] = {}
    for role, argument, default, rate in _wanted(program):
        given = program.arguments.get(argument)
        try:
            text, statements = _optimizer(program, draft, given, default, rate)
            _require_dense(program, draft, argument, text)
        except Unbindable as reason:
            yield manual(given or program.site.node, str(reason), _HELP)
            continue
        found[role] = text
        if text.partition("(")[0].endswith("RMSprop"):
            yield from _rmsprop(program, draft, given)
            continue
        draft.absorbed += statements
        if given is not None:
            yield exact(given, "the optimizer becomes its Keras counterpart with the same constants")
    draft.compile_arguments = {**found, **draft.compile_arguments}


def _wanted(program: Program) -> Iterator[tuple[str, str, str, float]]:
    """What ``compile`` calls each optimizer, the estimator's argument, and the optimizer and rate where it has none."""
    if program.name.startswith("DNNLinearCombined"):
        yield "optimizer", "dnn_optimizer", "Adagrad", 0.001
        yield "wide_optimizer", "linear_optimizer", "Ftrl", 0.005
    elif program.name.startswith("DNN"):
        yield "optimizer", "optimizer", "Adagrad", 0.05 if program.is_v1 else 0.001
    else:
        yield "optimizer", "optimizer", "Ftrl", 0.2 if program.name.startswith("Linear") else 0.3


def _require_dense(program: Program, draft: Draft, argument: str, text: str) -> None:
    """Refuses an optimizer that trains rows of a variable otherwise than Keras's, which trains the whole of it.

    Raises:
      Unbindable: for one whose step moves rows without a gradient, where the part that it trains may have such.
    """
    if draft.columns or program.name.startswith("Baseline"):
        return
    kind, _, arguments = text.partition(".keras.optimizers.")[2].partition("(")
    is_wide = argument == "linear_optimizer" or program.name.startswith("Linear")
    is_plain = kind == "SGD" or (kind == "RMSprop" and not program.is_v1)
    is_safe = kind in ("Adam", "Adagrad") or (is_plain and "momentum" not in arguments)
    if kind == "Ftrl" and is_wide and "shrinkage" not in arguments:
        all_of_them = "Keras's Ftrl moves all weights of categorical columns, the Estimator's those that a batch reads"
        if not is_none(program.arguments.get("warm_start_from")) and not _reads_numbers(program):
            raise Unbindable(f"with warm_start_from {all_of_them}")
        if _has_constant_rate(program, argument):
            return
        raise Unbindable(f"under a changing rate {all_of_them}")
    if is_safe:
        return
    if not is_wide and not _may_embed(program):
        return
    rows = "weights of categorical columns" if is_wide else "embeddings"
    raise Unbindable(f"the Estimator's {kind} trains only those rows of {rows} that a batch reads, and Keras's all")


def _reads_numbers(program: Program) -> bool:
    """Whether the columns of a linear model are seen to be numeric ones alone."""
    given = program.arguments
    try:
        numeric_columns(program, given.get("feature_columns") or given["linear_feature_columns"])
    except (Unbindable, KeyError):
        return False
    return True


def _has_constant_rate(program: Program, argument: str) -> bool:
    """Whether the optimizer of an argument is seen to have a rate that stays, as one has that is given by name."""
    names, value = program.module.names, program.arguments.get(argument)
    value = value and names.value(value)
    if isinstance(value, ast.Lambda):
        value = value.body
    if not isinstance(value, ast.Call):
        return True
    rates = [keyword.value for keyword in value.keywords if keyword.arg == "learning_rate"]
    return all(is_plain(names, rate) for rate in [*value.args[:1], *rates])


def _may_embed(program: Program) -> bool:
    """Whether the columns of a DNN may hold an embedding; they hold none if all are made in a file without one."""
    names = program.module.names
    given = program.arguments.get("feature_columns") or program.arguments.get("dnn_feature_columns")
    if given is None or any("embedding" in tail for tail in program.module.uses):
        return True
    # What has no value is a parameter, another module's, a loop's variable.
    bindings = (binding for node in made_of(names, given) for binding in names.bound(node))
    return any(b.value is None and not (b.imported or "").startswith("tensorflow") for b in bindings)


def _rmsprop(program: Program, draft: Draft, given: ast.expr | None) -> Iterator[Verdict]:
    """The mean square begins at 1 in v1 and at 0 in Keras, which moves the weights of the first steps far apart."""
    assert given is not None
    if not program.is_v1:
        yield noted(given, "its first steps differ a little: the old RMSProp squared its epsilon")
        return
    draft.after_compile += [
        f"{draft.model}.optimizer.build({draft.model}.trainable_variables)",
        f"for slot in {draft.model}.optimizer.variables:",
        '    if "velocity" in slot.name:  # where RMSPropOptimizer began',
        f"        slot.assign({draft.tf}.ones(slot.shape))",
    ]
    yield exact(given, "becomes Keras's RMSprop, whose mean square is made to begin at 1 as the old one's")


def _optimizer(
    program: Program, draft: Draft, given: ast.expr | None, default: str, rate: float
) -> tuple[str, list[ast.stmt]]:
    names = program.module.names
    statements: list[ast.stmt] = []
    value = given
    if isinstance(names.only_value(given), ast.Call | ast.Constant):
        value = names.only_value(given)
        assert value is not None
        if len(names.reads_of(given)) == 1:
            statements.append(names.statement_of(value))
        reason = why_not_movable(names, value, program.statement) if program.statement is not None else None
        if reason is not None:
            raise Unbindable(reason)
    keras = f"{draft.tf}.keras.optimizers"
    if isinstance(value, ast.Lambda) and not any(ast.iter_child_nodes(value.args)):
        value = value.body  # a function without arguments that makes one
    name = default if value is None else literal(value)
    if isinstance(name, str):
        if name not in _BY_NAME:
            raise Unbindable(f"no premade estimator knows an optimizer called {name!r}")
        return f"{keras}.{_by_name(program, name, rate)}", statements
    found = symbol_of(names, value.func) if isinstance(value, ast.Call) else None
    if not isinstance(value, ast.Call) or found is None:
        raise Unbindable("the optimizer comes from an expression that cannot be followed")
    module, _, name = found.tail.rpartition(".")
    if module in ("keras.optimizers", "keras.optimizers.legacy", "optimizers"):
        if name not in _KERAS:
            raise Unbindable(f"`{found.tail}` is no optimizer that is known to train the same")
        return f"{keras}.{name}({_as_given(draft, value)})", statements
    if module != "train" or name not in _V1:
        raise Unbindable(f"`{found.tail}` has no Keras counterpart that is known to train the same")
    return f"{keras}.{_from_v1(draft, _V1[name], value)}", statements


def _as_given(draft: Draft, call: ast.Call) -> str:
    """A Keras optimizer's own arguments."""
    given = bind(call, [str(place) for place in range(len(call.args))])  # refuses *args and **kwargs
    if "lr" in given or "decay" in given:
        raise Unbindable("`lr` and `decay` are not arguments of today's Keras optimizers")
    rates = ("0", "learning_rate")
    text = {n: scheduled(draft, value) if n in rates else draft.text(value) for n, value in given.items()}
    return ", ".join(value if name.isdigit() else f"{name}={value}" for name, value in text.items())


def _by_name(program: Program, name: str, rate: float) -> str:
    """The constructor for a name; TensorFlow 2's DNNs took the Keras class's own rate."""
    known = _V1[_BY_NAME[name]]
    if not program.is_v1:
        takes_own = program.name in ("DNNClassifier", "DNNRegressor")
        written = [] if takes_own else [str(rate)]
        if name == "RMSProp":  # the old one added its epsilon, 1e-07, before the root
            written.append("epsilon=1e-14")
        return f"{known.keras}({', '.join(written)})"
    constants = {key: value for key, value in known.constants.items() if key != "learning_rate"}
    return f"{known.keras}({', '.join([str(rate), *(f'{key}={value}' for key, value in constants.items())])})"


def _from_v1(draft: Draft, known: _V1Optimizer, call: ast.Call) -> str:
    arguments = bind(call, known.parameters)
    written = dict(known.constants)
    for parameter, value in arguments.items():
        if parameter in _IGNORED:
            continue
        if parameter not in known.renamed:
            raise Unbindable(f"`{parameter}` has no counterpart in Keras's {known.keras}")
        written[known.renamed[parameter]] = (
            constant(draft, value) if parameter == "learning_rate" else draft.text(value)
        )
    order = [keras for keras in (*known.renamed.values(), *known.constants) if keras in written]
    rate = written.get("learning_rate", "")
    rest = [f"{keras}={written[keras]}" for keras in dict.fromkeys(order) if keras != "learning_rate"]
    return f"{known.keras}({', '.join([rate, *rest] if rate else rest)})"
