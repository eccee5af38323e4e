"""``TrainSpec`` and ``EvalSpec`` as the source writes them."""

import ast
from dataclasses import dataclass

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.names import Names
from migrate.analysis.symbols import symbol_of

TRAIN_SPEC = ("input_fn", "max_steps", "hooks", "saving_listeners")
EVAL_SPEC = ("input_fn", "steps", "name", "hooks", "exporters", "start_delay_secs", "throttle_secs")


@dataclass(frozen=True)
class Spec:
    """One spec.

    Attributes:
      arguments: the expressions by parameter.
      statement: what exists only to make it; None where it stands inline.
    """

    arguments: dict[str, ast.expr]
    statement: ast.stmt | None = None


def read_spec(names: Names, expression: ast.expr | None, kind: str) -> Spec:
    """The ``TrainSpec`` or ``EvalSpec`` behind an argument.

    Raises:
      Unbindable: it is not written out in the file, or something else uses it.
    """
    value, statement = expression, None
    if isinstance(expression, ast.Name):
        value = names.only_value(expression)
        if value is not None:
            if len(names.reads_of(expression)) > 1:
                raise Unbindable(f"`{expression.id}` is used in more than one place")
            statement = names.statement_of(value)
    symbol = symbol_of(names, value.func) if isinstance(value, ast.Call) else None
    if not isinstance(value, ast.Call) or symbol is None or symbol.tail != f"estimator.{kind}":
        raise Unbindable(f"the {kind} is not written out in this file")
    return Spec(bind(value, TRAIN_SPEC if kind == "TrainSpec" else EVAL_SPEC, no_others=True), statement)
