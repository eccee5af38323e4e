"""FT122 · optimizer= of a premade estimator

A ``tf.compat.v1.train`` optimizer, a name such as ``"Adam"``, or a Keras optimizer; Adagrad by default.

Instead: the Keras optimizer with the old one's constants written out, because the defaults differ: Adam's epsilon is
1e-08 in v1 and 1e-07 in Keras, a name means learning rate 0.05 in v1 and the Keras class's default in v2.

Fidelity: exact to rounding: from the same checkpoint the losses of 50 steps are within 5e-6 of their size, most within
1e-6; Keras's step is several operations where the Estimator's is one, and the comparison is a test. A function of the
file that makes the optimizer, a learning rate that is computed from the global step, ``exponential_decay`` and the like
included, and RMSProp, which began with a mean square of 1, block the program: ``--canned object`` keeps them.

See: tf.compat.v1.train.AdamOptimizer, tf.keras.optimizers.Adam.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind, literal
from migrate.analysis.movable import why_not_movable
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.draft import Draft
from migrate.rewrite.learning_rate import scheduled
from migrate.rewrite.v1_optimizers import V1_OPTIMIZERS, keras_counterpart, written
from migrate.rules.rule import Example, Verdict, exact, manual, rule

_BY_NAME = {
    "Adagrad": "AdagradOptimizer",
    "Adam": "AdamOptimizer",
    "Ftrl": "FtrlOptimizer",
    "SGD": "GradientDescentOptimizer",
}
_KERAS = {"Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "SGD"}
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
    Example("hidden_units=[8], optimizer='RMSProp'", None, "estimator"),
    Example("hidden_units=[8], optimizer=lambda: tf1.train.AdamOptimizer(0.1)", "Adam(0.1, epsilon", "estimator"),
    Example(
        "hidden_units=[8], optimizer=lambda: tf1.train.AdamOptimizer("
        "tf1.train.exponential_decay(0.1, tf1.train.get_global_step(), 100, 0.9))",
        None,
        "estimator",
    ),
    Example("hidden_units=[8], optimizer=args.optimizer", None, "estimator"),
)
def optimizer(program: Program, draft: Draft) -> Iterator[Verdict]:
    if program.kind != "canned":  # a Keras model is compiled already
        return
    given = program.arguments.get("optimizer")
    try:
        text, statements = _optimizer(program, draft, given)
    except Unbindable as reason:
        yield manual(given or program.site.node, str(reason), _HELP)
        return
    draft.compile_arguments = {"optimizer": text, **draft.compile_arguments}
    draft.absorbed += statements
    if given is not None:
        yield exact(given, "the optimizer becomes its Keras counterpart with the same constants")


def _optimizer(program: Program, draft: Draft, given: ast.expr | None) -> tuple[str, list[ast.stmt]]:
    """The text of the Keras optimizer, and the statements that made the old one alone.

    Raises:
      Unbindable: none is known to train the same.
    """
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
    name = "Adagrad" if value is None else literal(value)
    if isinstance(name, str):
        if name not in _BY_NAME:
            raise Unbindable(f"{name!r} has no Keras counterpart that is known to train the same")
        return f"{keras}.{_by_name(program, name)}", statements
    found = symbol_of(names, value.func) if isinstance(value, ast.Call) else None
    if not isinstance(value, ast.Call) or found is None:
        raise Unbindable("the optimizer comes from an expression that cannot be followed")
    module, _, name = found.tail.rpartition(".")
    if module in ("keras.optimizers", "keras.optimizers.legacy", "optimizers"):
        if name not in _KERAS:
            raise Unbindable(f"`{found.tail}` is no optimizer that is known to train the same")
        return f"{keras}.{name}({_as_given(draft, value)})", statements
    if module != "train":
        raise Unbindable(f"`{found.tail}` has no Keras counterpart that is known to train the same")
    return f"{keras}.{keras_counterpart(draft, name, value)}", statements


def _as_given(draft: Draft, call: ast.Call) -> str:
    """A Keras optimizer's own arguments."""
    given = bind(call, [str(place) for place in range(len(call.args))])  # refuses *args and **kwargs
    if "lr" in given or "decay" in given:
        raise Unbindable("`lr` and `decay` are not arguments of today's Keras optimizers")
    rates = ("0", "learning_rate")
    text = {n: scheduled(draft, value) if n in rates else draft.text(value) for n, value in given.items()}
    return ", ".join(value if name.isdigit() else f"{name}={value}" for name, value in text.items())


def _by_name(program: Program, name: str) -> str:
    """The constructor for a name, with the rate of TensorFlow 1's premade models; 2's took the Keras class's own."""
    known = V1_OPTIMIZERS[_BY_NAME[name]]
    constants = {"learning_rate": "0.05", **{k: v for k, v in known.constants.items() if k != "learning_rate"}}
    return f"{known.keras}({written(constants) if program.is_v1 else ''})"
