"""Keras optimizers of TensorFlow 2's canned estimators, as ``CannedKerasOptimizer``."""

import ast
from dataclasses import dataclass

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.draft import Draft
from migrate.rewrite.learning_rate import scheduled

KINDS = {"Adagrad": "Adagrad", "Adam": "Adam", "Ftrl": "Ftrl", "RMSProp": "RMSprop", "SGD": "SGD"}
"""The names that an estimator takes, and those of the optimizers."""

_PARAMETERS = {
    "Adagrad": ("learning_rate", "initial_accumulator_value", "epsilon"),
    "Adam": ("learning_rate", "beta_1", "beta_2", "epsilon", "amsgrad"),
    "Ftrl": (
        "learning_rate",
        "learning_rate_power",
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_regularization_strength",
    ),
    "RMSprop": ("learning_rate", "rho", "momentum", "epsilon", "centered"),
    "SGD": ("learning_rate", "momentum", "nesterov"),
}
_KNOWN = {"decay", "beta", "name"}
_OFF = {"amsgrad": False, "centered": False}


@dataclass(frozen=True)
class CarriedOptimizer:
    """An optimizer that the program makes.

    Attributes:
      call: where it makes it.
      text: what stands for that.
    """

    call: ast.Call
    text: str


def why_not_carried(draft: Draft, given: ast.expr) -> str | None:
    """The reason why no ``CannedKerasOptimizer`` stands for an argument; else None."""
    program = draft.program
    if isinstance(given, ast.Constant):
        return None if literal(given) in KINDS else f"`{ast.unparse(given)}` names no optimizer that is known"
    try:
        call, kind = _call(program, given)
        rate = _arguments(program, call, kind).get("learning_rate")
        if rate is not None:
            scheduled(draft, rate)
    except Unbindable as reason:
        return str(reason)
    return None


def carried(draft: Draft, given: ast.expr) -> CarriedOptimizer:
    """The ``CannedKerasOptimizer`` for an argument that is no name of one."""
    call, kind = _call(draft.program, given)
    arguments = _arguments(draft.program, call, kind)
    written = "".join(
        f", {name}={scheduled(draft, value) if name == 'learning_rate' else draft.text(value)}"
        for name, value in arguments.items()
    )
    return CarriedOptimizer(call, f'CannedKerasOptimizer("{kind}"{written})')


def _call(program: Program, given: ast.expr) -> tuple[ast.Call, str]:
    names = program.module.names
    value: ast.expr | None = given
    if isinstance(given, ast.Name):
        value = names.only_value(given)
        if any(names.parent(use) not in _givers(program) for use in names.reads_of(given)):
            raise Unbindable(f"`{given.id}` is used as something else than the estimator's optimizer")
    if isinstance(given, ast.Lambda) and not any(ast.iter_child_nodes(given.args)):
        value = given.body
    found_symbol = symbol_of(names, value.func) if isinstance(value, ast.Call) else None
    kind = found_symbol.tail.rpartition(".")[2] if found_symbol is not None else ""
    is_keras = found_symbol is not None and found_symbol.tail.startswith(("keras.optimizers.", "optimizers."))
    if not isinstance(value, ast.Call) or not is_keras or kind not in _PARAMETERS:
        raise Unbindable(f"`{ast.unparse(given)[:60]}` is not seen to be an optimizer that is known")
    return value, kind


def _givers(program: Program) -> list[ast.AST]:
    """Where the estimator's arguments stand."""
    return [program.site.node, *program.site.node.keywords]


def _arguments(program: Program, call: ast.Call, kind: str) -> dict[str, ast.expr]:
    given = {
        ("learning_rate" if name == "lr" else name): value for name, value in bind(call, _PARAMETERS[kind]).items()
    }
    for name, value in list(given.items()):
        if name in _OFF and literal(value) is _OFF[name]:
            del given[name]
        elif name in _OFF or name not in (*_PARAMETERS[kind], *_KNOWN):
            raise Unbindable(f"`{name}` of tf.keras.optimizers.{kind} is not carried over")
        elif is_none(value):
            del given[name]
        elif name == "learning_rate" and isinstance(value, ast.Lambda):
            raise Unbindable("the learning rate may change while the job runs")
    return given
