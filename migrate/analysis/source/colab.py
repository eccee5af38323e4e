"""Code that a program runs in Colab alone."""

import ast

from migrate.analysis.source.names import Names

_COLAB = "google.colab"


def is_in_colab(names: Names, node: ast.AST) -> bool:
    """Whether a node stands under ``if "google.colab" in sys.modules``, or another condition that asks for Colab."""
    below = node
    for around in names.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp) and below is not around.test:
            others = around.orelse if isinstance(around.orelse, list) else [around.orelse]
            if _asks_for_colab(names, around.test, below not in others):
                return True
        below = around
    return False


def _asks_for_colab(names: Names, test: ast.expr, holds: bool) -> bool:
    """Whether a condition that holds, or does not, is met in Colab alone."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asks_for_colab(names, test.operand, not holds)
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Constant) and test.left.value == _COLAB:
        return isinstance(test.ops[0], ast.In if holds else ast.NotIn)
    values = [one for one in names.bound(test) if one.value is not None]
    if len(values) == 1 and values[0].value is not None:
        return _asks_for_colab(names, values[0].value, holds)
    is_true = [one.node for one in values if isinstance(one.value, ast.Constant) and one.value.value is True]
    return holds and any(_imports_colab(names.parent(one)) for one in is_true)


def _imports_colab(statement: ast.AST) -> bool:
    """Whether this is ``try: import google.colab``."""
    body = statement.body if isinstance(statement, ast.Try) else []
    return any(isinstance(one, ast.Import | ast.ImportFrom) and _COLAB in ast.unparse(one) for one in body)
