"""Numbers that are no whole ones: an Estimator makes the step that is begun, where Keras and ``tf.data`` raise."""

import ast

from migrate.analysis.names import Names

_KEEPS = {"abs", "max", "min", "np.ceil", "np.floor", "numpy.ceil", "numpy.floor"}
"""Calls that give a float of a float; of what others give nothing is known."""
_MOST_NAMES = 3
"""How many variables a number is followed through."""


def may_be_fraction(names: Names, value: ast.expr, depth: int = 0) -> bool:
    """Whether a number is a float or a quotient, as far as the file shows, and nothing makes it whole again."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, float)
    if isinstance(value, ast.Name):
        known = names.only_value(value) if depth < _MOST_NAMES else None
        return known is not None and may_be_fraction(names, known, depth + 1)
    if isinstance(value, ast.BinOp):
        sides = (value.left, value.right)
        return isinstance(value.op, ast.Div) or any(may_be_fraction(names, side, depth) for side in sides)
    if isinstance(value, ast.Call):
        called = names.qualified(value.func) or ast.unparse(value.func)
        return called == "float" or (
            called in _KEEPS and any(may_be_fraction(names, argument, depth) for argument in value.args)
        )
    return False
