"""Estimators with a standard head, read as the estimators that have this head built in."""

import ast
from dataclasses import dataclass

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.moves import why_not_movable
from migrate.analysis.names import Names
from migrate.analysis.symbols import symbol_of

# The end of the class that has it built in, and its parameters in the order of the signature.
_HEADS = {
    "BinaryClassHead": (
        "Classifier", ("weight_column", "thresholds", "label_vocabulary", "loss_reduction", "loss_fn", "name"),
    ),
    "MultiClassHead": (
        "Classifier", ("n_classes", "weight_column", "label_vocabulary", "loss_reduction", "loss_fn", "name"),
    ),
    "RegressionHead": (
        "Regressor", ("label_dimension", "weight_column", "loss_reduction", "loss_fn", "inverse_link_fn", "name"),
    ),
}  # fmt: skip
_ELSEWHERE = {"thresholds", "loss_fn", "inverse_link_fn", "name"}
"""Parameters that the estimators with a built-in head do not have."""


@dataclass(frozen=True)
class Head:
    """What a ``head=`` says.

    Attributes:
      node: the call that makes it.
      ending: of the class that has the head built in, "Classifier" or "Regressor".
      arguments: the head's, by the names that this class has for them.
      statement: what makes the head and nothing else; None where it is made in the estimator's own call.
    """

    node: ast.Call
    ending: str
    arguments: dict[str, ast.expr]
    statement: ast.stmt | None


def read_head(names: Names, given: ast.expr, statement: ast.stmt) -> Head:
    """Reads a head.

    Args:
      names: the module's names.
      given: what an estimator gets for ``head``.
      statement: where the estimator is made.

    Raises:
      Unbindable: it is none of the standard heads, it has what these do not, or it is made elsewhere or used twice.
    """
    value, made_by = given, None
    if isinstance(given, ast.Name):
        only = names.only_value(given)
        if only is None:
            raise Unbindable(f"the head `{given.id}` is not assigned once in this file")
        if names.reads_of(given) != [given]:
            raise Unbindable(f"the head `{given.id}` is used elsewhere too")
        reason = why_not_movable(names, only, statement)
        if reason is not None:
            raise Unbindable(reason)
        value, made_by = only, names.statement_of(only)
    symbol = symbol_of(names, value.func) if isinstance(value, ast.Call) else None
    name = symbol.tail.removeprefix("estimator.") if symbol is not None else ""
    if not isinstance(value, ast.Call) or name not in _HEADS:
        raise Unbindable(f"`{ast.unparse(value)[:60]}` is none of {', '.join(_HEADS)}")
    ending, parameters = _HEADS[name]
    arguments = bind(value, parameters, no_others=True)
    for other in _ELSEWHERE:
        if not is_none(arguments.pop(other, None)):
            raise Unbindable(f"`{other}` of {name} is not carried over")
    if name == "MultiClassHead" and "n_classes" not in arguments:
        raise Unbindable("MultiClassHead has no n_classes")
    return Head(value, ending, arguments, made_by)
