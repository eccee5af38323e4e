"""Numbers that are no whole ones: an Estimator makes the step that is begun, where Keras and ``tf.data`` raise."""

import ast

from migrate.analysis.names import Names

_KEEPS = {"abs", "max", "min", "np.ceil", "np.floor", "numpy.ceil", "numpy.floor"}
"""Calls that give a float of a float; of what others give nothing is known."""


def may_be_fraction(names: Names, value: ast.expr) -> bool:
    """Whether a number is a float or a quotient, as far as the file shows, and nothing makes it whole again."""
    value = names.value(value)
    if isinstance(value, ast.Constant):
        return isinstance(value.value, float)
    if isinstance(value, ast.BinOp):
        sides = (value.left, value.right)
        return isinstance(value.op, ast.Div) or any(may_be_fraction(names, side) for side in sides)
    if isinstance(value, ast.Call):
        called = names.qualified(value.func) or ast.unparse(value.func)
        return called == "float" or (
            called in _KEEPS and any(may_be_fraction(names, argument) for argument in value.args)
        )
    return False
